package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// touch is how a person changes a file that a stage's promotions write.
type touch byte

// The ways. The zero value is a change that has nothing to do with it.
const (
	touchElsewhere touch = iota + 1 // other lines: both merge
	touchBeside                     // the line beside the promotion's: git cannot merge both
	touchValue                      // the very line
)

// touchStage has a person push a change of a stage's file to its branch.
func (s *server) touchStage(m Move) {
	stage, by := s.place(m), people[int(m.Who)%2]
	how := []touch{touchBeside, touchValue, touchElsewhere, touchBeside}[m.What/2%4]
	s.say("%s changes the file of %s by hand (%d)", by, stage, how)
	c := &commit{sha: hash("by hand", fmt.Sprint(s.id())), by: by, path: "envs/" + stage, message: "By hand", touch: how}
	s.emit(s.add(s.rules.branch(stage), c, by))
}

// meets tells how what came to a branch after one commit, up to another one, meets an
// edit of the stage's file: whether git can merge both, and whether somebody else
// wrote the very line.
func (h *hub) meets(branch, stage, after, until string) (conflict, value bool) {
	line := h.lines[branch]
	from := slices.IndexFunc(line, func(c *commit) bool { return c.sha == after }) + 1
	for _, c := range line[from:] {
		if c.path == "envs/"+stage {
			landed := c.promotion != ""
			conflict = conflict || landed || c.touch >= touchBeside
			value = value || landed || c.touch == touchValue
		}
		if c.sha == until {
			break
		}
	}
	return conflict, value
}

// dirty reports whether a pull request conflicts with its base.
func (h *hub) dirty(p *pull) bool {
	conflict, _ := h.meets(p.base, p.stage, h.madeOn[p.head], h.tip(p.base))
	return conflict
}

// noteDirty remembers of which heads it was ever so. That a pull request is closed or
// merged may not be known yet; then a new edit reaches nobody.
func (h *hub) noteDirty() {
	for _, p := range h.pulls {
		if h.dirty(p) {
			h.met[p.head] = true
		}
	}
}

// mergeability is what GitHub says of an open pull request.
func (s *server) mergeability(p *pull) promotion.Mergeability {
	switch {
	case p.state != "open" || s.luck.one(5): // not worked out yet
		return ""
	case s.dirty(p):
		return promotion.MergeConflict
	}
	return promotion.MergeClean
}

// compare tells whether a promotion's commit merges into its base.
func (s *server) compare(e promotion.Effect) promotion.Result {
	p := s.state.Promotion(e.Promotion)
	if p == nil {
		return promotion.Result{}
	}
	if conflict, _ := s.meets(e.Branch, placeOf(p), s.madeOn[e.Text], e.SHA); conflict {
		return promotion.Result{Conflicts: []string{"envs/" + placeOf(p)}}
	}
	return promotion.Result{}
}

// pushAnew puts a new edit in place of the one on a promotion's branch.
func (s *server) pushAnew(e promotion.Effect, p *promotion.Promotion, branch string) promotion.Result {
	there, was := s.heads[branch], p.Redo.Was.Commit
	_, value := s.meets(p.Plan.Branch, placeOf(p), s.madeOn[was], s.madeOn[p.Commit])
	switch {
	case value && !p.Redo.Force:
		return promotion.Result{
			Conflicts: []string{"envs/" + placeOf(p)},
			Err:       fmt.Errorf("%w in envs/%s", promotion.ErrConflict, placeOf(p)),
		}
	case there != nil && there.sha == p.Commit:
		return promotion.Result{Phase: promotion.StepSucceeded, Pushed: branch, Commit: p.Commit}
	case there != nil && there.by == "" && there.sha != was && e.Look: // of an earlier life, on an older tip
		return promotion.Result{Phase: promotion.StepSucceeded, Pushed: branch, Commit: there.sha}
	case there == nil || there.sha != was:
		return promotion.Result{Err: promotion.Terminal(errors.New("somebody pushed there, or took it away"))}
	}
	if !s.unruled {
		s.rules.madeAnew(p, was)
	}
	s.heads[branch] = s.made(p, p.Commit)
	for _, o := range s.pulls {
		if o.branch == branch && o.state == "open" {
			o.head, o.headAt = p.Commit, s.now
			s.soon = append(s.soon, delivery{s.changed(o, "synchronize", "stagecoach[bot]")})
		}
	}
	s.noteDirty()
	return promotion.Result{Phase: promotion.StepSucceeded, Pushed: branch, Commit: p.Commit}
}

// madeAnew judges that the head of an open pull request changes by the app: only when
// it conflicted. One that is closed already, of which no word has come, is nobody's.
func (r *rules) madeAnew(p *promotion.Promotion, was string) {
	o := r.pullOf(p)
	if o != nil && o.state == "open" && !r.met[was] {
		r.fail("promise 12: the head of %s changes although it merges", p.Name)
	}
}

// anew reports whether a decision began to make the edit of an open pull request anew.
func anew(was, p *promotion.Promotion) bool {
	return p.Redo != nil && p.Redo.Begun && (was.Redo == nil || !was.Redo.Begun)
}

// forcedAnew judges that what people changed is overwritten: only when somebody said so.
func (r *rules) forcedAnew(was, p *promotion.Promotion) {
	if p.Redo == nil || !p.Redo.Force || was != nil && was.Redo != nil && was.Redo.Force {
		return
	}
	if !slices.ContainsFunc(r.took, func(c judgedCommand) bool { return c.name == "retry" && c.verdict == promotion.VerdictStarted }) {
		r.fail("promise 12: %s overwrites what people changed, and nobody said so", p.Name)
	}
}

// conflictsTold judges at rest that no pull request of ours conflicts without a word.
func (r *rules) conflictsTold() {
	for _, o := range r.pulls {
		p := r.state.Promotion(o.promotion)
		ours := p != nil && p.Phase.Started() && p.PullRequest != nil && p.PullRequest.Number == o.number && p.Commit == o.head
		if o.state != "open" || !ours || !r.dirty(o) || p.Clash != nil {
			continue
		}
		if !r.hopelessly("compare/" + p.Name) {
			r.fail("promise 12: #%d of %s conflicts, and neither is its edit made anew nor is it told", o.number, p.Name)
		}
	}
}

func (r *rules) hopelessly(prefix string) bool {
	for id := range r.hopeless {
		if strings.HasPrefix(id, prefix) {
			return true
		}
	}
	return false
}
