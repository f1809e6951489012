package promotion

import (
	"slices"
	"strings"
	"time"
)

// findPromotion finds what a command speaks of: a name, a stage's current one,
// or the one whose pull request the comment stands on.
func (c *core) findPromotion(s *CommentState, cmd Command, fits func(*Promotion) bool) (*Promotion, string) {
	if len(cmd.Args) == 0 {
		if p := c.byPullRequest(s.Number); p != nil && s.Number != 0 {
			return p, ""
		}
		return nil, sentence("Say which promotion: `/%s STAGE` or its name. Stages: %s.", cmd.Name, strings.Join(c.stageNames(), ", "))
	}
	if p := c.promotion(cmd.Args[0]); p != nil {
		return p, ""
	}
	p, stage, wrong := c.findStage(cmd.Args[0])
	if wrong != "" {
		return nil, wrong
	}
	var last *Promotion
	queue := NewQueue()
	for _, o := range c.state.Pipelines[p.Name].Promotions {
		if o.Stage == stage.Name && fits(o) && !s.precedes(o) && (last == nil || later(o, last)) {
			last = o
		}
		if o.Stage == stage.Name && fits(o) {
			queue.Push(o)
		}
	}
	if last != nil && last.Phase == PhaseQueued {
		last = queue.Peek() // nothing runs: the one whose turn is next
	}
	if last == nil {
		return nil, sentence("There is nothing to %s in %s.", cmd.Name, StageRef(p.Name, stage.Name))
	}
	return last, ""
}

// precedes reports whether a comment was written before there was the promotion:
// it cannot have meant that one, however late it comes. GitHub's times are whole
// seconds.
func (s *CommentState) precedes(p *Promotion) bool { return !p.CreatedAt.Before(s.At.Add(time.Second)) }

// later prefers what has started over what waits, then the newer one.
func later(a, b *Promotion) bool {
	if a.Phase.Started() != b.Phase.Started() {
		return a.Phase.Started()
	}
	return a.EndedAt.After(b.EndedAt) || a.EndedAt.Equal(b.EndedAt) && a.Name > b.Name
}

// stageNames are all stages, as people write them.
func (c *core) stageNames() []string {
	var out []string
	for _, name := range sortedKeys(c.state.Local.Config) {
		for _, st := range c.state.Local.Config[name].Stages {
			out = append(out, StageRef(name, st.Name))
		}
	}
	return out
}

// findStage finds STAGE or PIPELINE/STAGE, or says what is wrong and what would
// be right.
func (c *core) findStage(ref string) (*Pipeline, *Stage, string) {
	all := c.stageNames()
	if ref == "" {
		return nil, nil, sentence("Say which stage: `/promote STAGE`. Stages: %s.", strings.Join(all, ", "))
	}
	pipeline, name, qualified := strings.Cut(ref, "/")
	if !qualified {
		pipeline, name = "", ref
	}
	var hits []string
	var p *Pipeline
	for _, each := range sortedKeys(c.state.Local.Config) {
		if qualified && each != pipeline || c.state.Local.Config[each].Stage(name) == nil {
			continue
		}
		if hits = append(hits, each+"/"+name); p == nil || each == DefaultPipeline {
			p = c.state.Local.Config[each]
		}
	}
	if len(hits) == 1 || len(hits) > 1 && p.Name == DefaultPipeline {
		return p, p.Stage(name), ""
	}
	if len(hits) > 1 {
		return nil, nil, sentence("Several pipelines have a stage `%s`. Say which: %s.", plain(ref), strings.Join(hits, ", "))
	}
	hint := ""
	if near := Nearest(ref, all); near != "" {
		hint = sentence(" Did you mean `%s`?", near)
	}
	return nil, nil, sentence("There is no stage `%s` here.%s Stages: %s.", plain(ref), hint, strings.Join(all, ", "))
}

// findFreight finds the freight that a word names: the start of an ID or a
// commit, an alias, or a version. Without a word it is the newest that may go
// there, or on a merged pull request what that brought.
func (c *core) findFreight(p *Pipeline, stage *Stage, word string, number, priority int) (*Freight, string) {
	all := c.state.Pipelines[p.Name].Freight
	if word == "" {
		if f := broughtBy(all, number); f != nil && c.byPullRequest(number) == nil {
			return f, ""
		}
		if f := c.newestEligible(p, stage, priority); f != nil {
			return f, ""
		}
		if len(all) == 0 {
			return nil, "There is no freight yet: no source of this pipeline has a version."
		}
		last := all[len(all)-1]
		return nil, sentence("Nothing may go to %s yet. %s: %s.", StageRef(p.Name, stage.Name), last.named(), c.lacking(request{p, stage, last.ID, &Promotion{Priority: priority}}))
	}
	var hits []*Freight
	for _, f := range all {
		if p.names(word, f) {
			hits = append(hits, f)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], ""
	case 0:
		return nil, sentence("%s is not known here. Newest: %s.", plain(word), strings.Join(newest(all, 3), ", "))
	}
	return nil, sentence("%s fits several: %s. Write more of it.", plain(word), strings.Join(newest(hits, 5), ", "))
}

func broughtBy(all []*Freight, number int) *Freight {
	if number == 0 {
		return nil
	}
	for _, f := range slices.Backward(all) {
		if slices.ContainsFunc(f.Artifacts, func(a Artifact) bool { return a.PullRequest == number }) {
			return f
		}
	}
	return nil
}

// Matches reports whether a word that a person wrote names this freight.
func (f *Freight) Matches(word string) bool {
	w := strings.ToLower(word)
	if w == f.Alias() || len(w) >= 4 && strings.HasPrefix(f.ID, w) {
		return true
	}
	return slices.ContainsFunc(f.Artifacts, func(a Artifact) bool { return a.Is(word) })
}

func newest(all []*Freight, n int) []string {
	var out []string
	for _, f := range slices.Backward(all) {
		if len(out) == n {
			break
		}
		out = append(out, sentence("%s (`%s`)", f.named(), f.Alias()))
	}
	return out
}

// findWithReason is findPromotion for a command whose other words are a reason.
// On a promotion's pull request the first word may be part of it already.
func (c *core) findWithReason(s *CommentState, cmd Command, fits func(*Promotion) bool) (p *Promotion, reason, wrong string) {
	if here := c.byPullRequest(s.Number); here != nil && s.Number != 0 {
		if len(cmd.Args) == 0 || c.promotion(cmd.Args[0]) == nil && len(c.stagesExactly(cmd.Args[0])) == 0 {
			return here, strings.Join(cmd.Args, " "), ""
		}
	}
	p, wrong = c.findPromotion(s, cmd, fits)
	return p, strings.Join(cmd.Args[min(1, len(cmd.Args)):], " "), wrong
}

// stagesExactly are the stages that a word names, misspellings apart.
func (c *core) stagesExactly(word string) []staged {
	if p, stage, wrong := c.findStage(word); wrong == "" {
		return []staged{{p, stage}}
	}
	return nil
}
