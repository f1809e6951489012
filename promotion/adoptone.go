package promotion

import (
	"slices"
	"time"
)

// leftBehind notes the branch that a promotion left, so that it is deleted in the
// end. Without freight its tip is not our commit, and it stays. One that the
// ledger holds as queued goes on from its branch, as an adopted one does.
func (c *core) leftBehind(p *Promotion, f Found) {
	if f.Landed || f.Freight == "" || f.Foreign {
		return
	}
	if p.pullIsOpen() && p.Redo == nil && p.Commit != f.Commit {
		c.own(p).Commit = f.Commit // its edit was made anew, and the ledger does not know
		return
	}
	if p.Pushed != "" {
		return
	}
	p = c.own(p)
	if p.Phase == PhaseQueued {
		p.Look = true
		return
	}
	p.Pushed, p.Commit = f.Branch, f.Commit
	c.touchOf(p)
}

// landedThough takes that a promotion which was thought to have failed is found to
// have landed, if nothing came to its stage since it started.
func (c *core) landedThough(p *Promotion, f Found) {
	st := c.state.stageOf(p.Pipeline, p.Stage)
	if !f.Landed || p.StartedAt.IsZero() || st.Current != nil && !p.StartedAt.After(st.Current.At) {
		return
	}
	c.foundOld = true
	c.landAfterAll(p, f.Commit)
	c.foundOld = false
}

// adopt makes the promotion that left a trace, if the ledger does not have it.
func (c *core) adopt(f Found) {
	p := c.promotion(f.Promotion)
	if p != nil && (p.Phase.Terminal() || !f.Landed) {
		c.landedThough(p, f)
		c.leftBehind(p, f)
		return
	}
	if p != nil && p.PullRequest != nil {
		return // GitHub is asked how its pull request ended, and by which commit
	}
	named, freight, ok := c.knownTrace(f)
	if !ok || p == nil && c.outdated(f, named) {
		return
	}
	if p == nil {
		p = c.adopted(f, named, freight)
	}
	if !f.Landed {
		c.takeOver(p, f)
		return
	}
	config := c.state.Local.Config[f.Pipeline]
	p = c.own(p)
	p.Landed, p.Commit = f.Commit, f.Commit
	if p.StartedAt.IsZero() {
		p.StartedAt = p.CreatedAt
	}
	if p.Plan == nil {
		p.Plan = NewPlan(config, config.Stage(named.Stage), c.state.Repo.DefaultBranch)
		p.Steps = make([]StepState, len(p.Plan.Steps))
	}
	done := p.Plan.untilTags()
	for i := range p.Steps[:done] {
		p.Steps[i] = StepState{Phase: StepSucceeded, Message: "done before the restart"}
	}
	p.Checks = nil
	p.Look = true // its check run may be there already
	if done < len(p.Steps) {
		p.Phase, p.Message = PhaseRunning, "" // its tags may be there or not
		return
	}
	problems := c.state.Problems
	c.foundOld = true
	c.land(p)
	c.foundOld = false
	c.state.Problems = problems // it landed before they came up
	if st := c.stage(p.Pipeline, p.Stage); st.Current.Promotion == p.Name {
		now := *st.Current
		now.At = f.landedAt(named, c.now)
		st.Current = &now
	}
}

// landedAt is when a trace's commit came to be, as far as that can be so: not before the
// promotion was made, whose time is exact where that of a commit is a whole second.
func (f Found) landedAt(named Named, now time.Time) time.Time {
	at := f.At.UTC()
	if named.At.After(at) && named.At.Sub(at) < time.Second {
		at = named.At
	}
	if at.Before(named.At) || at.After(now) {
		return now
	}
	return at
}

// heldOnce takes that a stage held freight before what it holds now. Whether it was
// verified there is not known where the stage asks for that.
func (c *core) heldOnce(f Found) {
	if c.promotion(f.Promotion) != nil {
		c.adopt(f) // the ledger thinks that it is under way
		return
	}
	named, freight, ok := c.knownTrace(f)
	if !ok {
		return
	}
	st := c.stage(f.Pipeline, named.Stage)
	if st.Current != nil {
		former := *st.Current
		former.Files = nil
		st.Before = append(slices.Clone(st.Before), former)
		st.Before = st.Before[max(0, len(st.Before)-landingMemory):]
	}
	st.Current = &Landing{Freight: freight.ID, Promotion: f.Promotion, Commit: f.Commit, At: f.landedAt(named, c.now)}
	c.noteCause(f, named, freight)
	if c.state.Local.Config[f.Pipeline].Stage(named.Stage).Verify == nil {
		c.counts(f.Pipeline, named.Stage)
	}
}

// untilTags is how many of the steps are known to be done once the plan's commit has
// landed: all of them, or up to its push where tags are pushed after it.
func (p *Plan) untilTags() int {
	landed := 0
	for i := range p.Steps {
		switch {
		case p.Steps[i].PushesTag() && landed > 0:
			return landed
		case p.Steps[i].Uses == "git-push":
			landed = i + 1
		}
	}
	return len(p.Steps)
}
