package promotion

import (
	"slices"
	"strings"
	"time"
)

// Commands are the commands that this version carries out, in the order of the
// help text. Usage is what stands behind the name.
var Commands = []struct{ Name, Usage, Does string }{
	{"promote", "STAGE [FREIGHT] [--now] [--reason TEXT]", "promote FREIGHT (default: the newest that may go there) to STAGE"},
	{"abort", "[PROMOTION]", "end a promotion (a stage names its current one)"},
	{"retry", "[PROMOTION]", "go on with the stage's last failed or errored one, from the step that failed"},
	{"status", "", "show where everything is"},
	{"help", "", "show this"},
}

// carryOut does what one command says, and answers it.
func (c *core) carryOut(s *CommentState, cmd Command, r Result) (Verdict, string) {
	if c.stranger(r) {
		return VerdictDenied, ""
	}
	if cmd.Near != "" {
		return VerdictWrong, sentence("`/%s` is not a command. Did you mean `/%s`? `/help` lists them.", plain(cmd.Name), cmd.Near)
	}
	switch cmd.Name {
	case "help":
		return VerdictDone, c.helpText()
	case "status":
		return VerdictDone, c.statusText()
	}
	if r.Permission != "write" && r.Permission != "admin" {
		return VerdictDenied, sentence("%s may not `/%s` here: that takes write access to this repository (you have %s). Ask somebody who has it to comment `%s`.",
			at(s.By), cmd.Name, role(r), "/"+strings.Join(append([]string{cmd.Name}, plainAll(cmd.Args)...), " "))
	}
	switch cmd.Name {
	case "promote":
		return c.promote(s, cmd)
	case "abort":
		return c.abort(s, cmd)
	case "retry":
		return c.retry(s, cmd)
	}
	return VerdictWrong, sentence("`/%s` is not built yet in this version. `/help` lists what is.", plain(cmd.Name))
}

// stranger reports whether somebody has no more than everybody has on a public
// repository: such a person gets a reaction alone.
func (c *core) stranger(r Result) bool {
	if r.Permission == "none" || r.Permission == "" {
		return true
	}
	return r.Permission == "read" && !c.state.Repo.Private && (r.Role == "" || r.Role == "read")
}

func role(r Result) string {
	if r.Role != "" {
		return plain(r.Role)
	}
	return r.Permission
}

// promote queues freight for a stage.
func (c *core) promote(s *CommentState, cmd Command) (Verdict, string) {
	args, wrong := parsePromote(cmd.Args)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if args.stage == "" {
		if p := c.byPullRequest(s.Number); p != nil {
			args.stage = StageRef(p.Pipeline, p.Stage)
		}
	}
	p, stage, wrong := c.findStage(args.stage)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if broken := c.state.Pipelines[p.Name]; broken != nil && len(broken.Broken) > 0 {
		return VerdictWrong, sentence("The config of this pipeline cannot be read: %s. Mend `%s` first.", broken.Broken[0].Text, broken.Broken[0].File)
	}
	f, wrong := c.findFreight(p, stage, args.freight, s.Number)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if other := c.alreadyUnderWay(p, stage, f); other != nil {
		return VerdictDone, sentence("%s is on its way to %s already: `%s` (%s).", f.Title(), StageRef(p.Name, stage.Name), other.Name, other.Phase)
	}
	created := s.At.Truncate(time.Millisecond).Add(time.Duration(cmd.Line-1) * time.Millisecond)
	cause := s.cause(cmd)
	pr := &Promotion{
		Name: NewName(stage.Name, created, cause, f.ID), Pipeline: p.Name, Stage: stage.Name, Freight: f.ID, Phase: PhaseQueued,
		RequestedBy: s.By, Reason: args.reason, Cause: cause, CreatedAt: created,
	}
	if args.now {
		pr.Priority = PriorityNow
	}
	if !c.eligible(p, stage, f.ID) {
		c.add(pr)
		return VerdictStarted, sentence("%s is queued for %s: %s.", f.Title(), StageRef(p.Name, stage.Name), c.lacking(p, stage, f.ID))
	}
	c.add(pr)
	return VerdictStarted, ""
}

// cause identifies a command: its comment and line, or the delivery of a button.
func (s *CommentState) cause(cmd Command) string {
	if s.Comment != 0 {
		return sentence("comment/%d/%d", s.Comment, cmd.Line)
	}
	return sentence("button/%s/%d", s.Cause, cmd.Line)
}

func (c *core) alreadyUnderWay(p *Pipeline, stage *Stage, f *Freight) *Promotion {
	for _, o := range c.state.Pipelines[p.Name].Promotions {
		if o.Stage == stage.Name && o.Freight == f.ID && !o.Phase.Terminal() {
			return o
		}
	}
	return nil
}

// lacking says which stages have not verified the freight.
func (c *core) lacking(p *Pipeline, stage *Stage, freight string) string {
	var open []string
	for _, before := range stage.After {
		st := c.state.Pipelines[p.Name].Stages[before]
		if st == nil {
			open = append(open, before)
		} else if _, ok := st.Verified[freight]; !ok {
			open = append(open, before)
		}
	}
	return "not yet verified in " + strings.Join(open, ", ")
}

type promoteArgs struct {
	stage, freight, reason string
	now                    bool
}

func parsePromote(words []string) (a promoteArgs, wrong string) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--now":
			a.now = true
		case w == "--reason":
			a.reason = strings.Join(words[i+1:], " ")
			i = len(words)
		case strings.HasPrefix(w, "--reason="):
			a.reason = strings.Join(append([]string{strings.TrimPrefix(w, "--reason=")}, words[i+1:]...), " ")
			i = len(words)
		case strings.HasPrefix(w, "--"):
			return a, sentence("`/promote` has no option `%s`. It has `--now` and `--reason TEXT`.", plain(w))
		case a.stage == "":
			a.stage = w
		case a.freight == "":
			a.freight = w
		default:
			return a, "Too many words. Write `/promote STAGE [FREIGHT] [--now] [--reason TEXT]`."
		}
	}
	if a.now && strings.TrimSpace(a.reason) == "" {
		return a, "`--now` goes past waiting times and needs a reason: `/promote STAGE --now --reason TEXT`."
	}
	return a, ""
}

// abort ends a promotion.
func (c *core) abort(s *CommentState, cmd Command) (Verdict, string) {
	p, wrong := c.findPromotion(s, cmd, func(p *Promotion) bool { return !p.Phase.Terminal() })
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if p.Phase.Terminal() {
		return VerdictDone, sentence("`%s` has ended already (%s).", p.Name, p.Phase)
	}
	c.stop(c.own(p), PhaseAborted, sentence("Aborted by %s", s.By))
	return VerdictDone, ""
}

// retry lets a failed or errored promotion go on from the step that failed, in
// its old place.
func (c *core) retry(s *CommentState, cmd Command) (Verdict, string) {
	again := func(p *Promotion) bool { return p.Phase == PhaseFailed || p.Phase == PhaseErrored }
	p, wrong := c.findPromotion(s, cmd, again)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if !again(p) {
		return VerdictDone, sentence("`%s` is %s: only a failed or errored promotion is retried.", p.Name, p.Phase)
	}
	p = c.own(p)
	p.Phase, p.Message, p.EndedAt, p.StartedAt = PhaseQueued, "", time.Time{}, time.Time{}
	if p.PullRequest != nil { // closed, and its branch is gone
		p.Plan, p.Steps = nil, nil
		p.beginAnew()
	}
	for i := range p.Steps {
		if p.Steps[i].Phase != StepSucceeded {
			p.Steps[i] = StepState{}
		}
	}
	p.Look = true
	c.touch(p.Pipeline)
	return VerdictStarted, ""
}

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
	for _, o := range c.state.Pipelines[p.Name].Promotions {
		if o.Stage == stage.Name && fits(o) && (last == nil || later(o, last)) {
			last = o
		}
	}
	if last == nil {
		return nil, sentence("There is nothing to %s in %s.", cmd.Name, StageRef(p.Name, stage.Name))
	}
	return last, ""
}

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
func (c *core) findFreight(p *Pipeline, stage *Stage, word string, number int) (*Freight, string) {
	all := c.state.Pipelines[p.Name].Freight
	if word == "" {
		if f := broughtBy(all, number); f != nil && c.byPullRequest(number) == nil {
			return f, ""
		}
		if f := c.newestEligible(p, stage); f != nil {
			return f, ""
		}
		if len(all) == 0 {
			return nil, "There is no freight yet: no source of this pipeline has a version."
		}
		return nil, sentence("Nothing may go to %s yet: %s %s.", StageRef(p.Name, stage.Name), all[len(all)-1].Title(), "is "+c.lacking(p, stage, all[len(all)-1].ID))
	}
	var hits []*Freight
	for _, f := range all {
		if f.Matches(word) {
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
	return slices.ContainsFunc(f.Artifacts, func(a Artifact) bool {
		return a.Tag == word || a.Digest == word || len(w) >= 4 && strings.HasPrefix(a.Commit, w)
	})
}

func newest(all []*Freight, n int) []string {
	var out []string
	for _, f := range slices.Backward(all) {
		if len(out) == n {
			break
		}
		out = append(out, sentence("%s (`%s`)", f.Title(), f.Alias()))
	}
	return out
}
