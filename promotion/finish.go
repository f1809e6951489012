package promotion

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// land ends a promotion well: its freight is what the stage holds now.
func (c *core) land(p *Promotion) {
	commit := p.Landed
	if commit == "" && p.Plan.Deliver == DeliverNone {
		commit = p.Commit // the landed commit is that of the last push
	}
	c.dropProblems("effect/")
	c.dropProblems("ledger")
	p.Past = c.pastGates(p)
	c.hold(p, commit)
	p.Landed, p.LandedAt = commit, c.now
	c.recordDeployment(p)
	if c.begins(p) {
		return
	}
	if stage := c.state.Local.Config[p.Pipeline].Stage(p.Stage); stage == nil || stage.Verify == nil {
		c.stage(p.Pipeline, p.Stage).Health = Health{}
		c.counts(p.Pipeline, p.Stage)
	} // else its health is judged by what others say of the commit
	switch {
	case commit != "":
		c.finish(p, PhaseSucceeded, c.withPast(p, "Landed in "+Lasting(p.landedAfter())))
	case len(p.Steps) == 0:
		c.finish(p, PhaseSucceeded, "Passed on: this stage has no steps")
	case p.emptyAnew():
		c.finish(p, PhaseSucceeded, sentence("Nothing to change any more: %s holds it at %s, by somebody's hand", p.Plan.Branch, short(p.Base())))
	default:
		c.finish(p, PhaseSucceeded, "Nothing to change: "+p.Stage+" holds it already")
	}
}

// hold takes that a stage holds the freight of a promotion now.
func (c *core) hold(p *Promotion, commit string) {
	st := c.stage(p.Pipeline, p.Stage)
	now := &Landing{Freight: p.Freight, Promotion: p.Name, Commit: cmp.Or(commit, p.Base()), At: c.now, Held: commit == "", Files: p.wrote()}
	st.Drift = nil
	c.tellDrift(p.Pipeline, p.Stage, nil)
	if st.Current != nil {
		now.Commit = cmp.Or(commit, st.Current.Commit, p.Base())
		if p.Priority == PriorityRollback && st.Current.Freight != p.Freight {
			delete(st.Verified, st.Current.Freight) // it may have come, or been verified, after somebody asked to go back
		}
		former := *st.Current
		former.Files = nil
		st.Before = append(slices.Clone(st.Before), former)
		st.Before = st.Before[max(0, len(st.Before)-landingMemory):]
	}
	st.Current = now
	if stage := c.state.Local.Config[p.Pipeline].Stage(p.Stage); stage != nil && !c.foundOld {
		c.advanceLine(c.branchOf(stage), commit, false)
	}
	c.touchOf(p)
}

// withPast adds to how a promotion landed what a person went past, and what it
// still lacks to count as verified.
func (c *core) withPast(p *Promotion, why string) string {
	if len(p.Past) > 0 {
		why += ", past what was not open: " + strings.Join(p.Past, ", ")
	}
	stage := c.state.Local.Config[p.Pipeline].Stage(p.Stage)
	if _, counts := c.state.stageOf(p.Pipeline, p.Stage).Verified[p.Freight]; !counts && stage != nil && !c.behindIt(p.Pipeline, stage, p.Freight) {
		why += "; not verified yet, because a stage before it is behind or not healthy"
	}
	return why
}

// landedAfter is how long it took from its start until it landed.
func (p *Promotion) landedAfter() time.Duration {
	if p.StartedAt.IsZero() || p.LandedAt.IsZero() {
		return 0
	}
	return p.LandedAt.Sub(p.StartedAt)
}

// stop ends a promotion from outside. While a step is under way its answer is
// waited for: what it left on GitHub must be known to be cleaned up, and what
// has landed has landed.
func (c *core) stop(p *Promotion, phase Phase, why string) {
	for id, e := range c.state.Local.Pending {
		if e.Kind == KindStep && e.Promotion == p.Name {
			unwanted := *e
			unwanted.Cancelled, unwanted.NotBefore, unwanted.Blocked = true, time.Time{}, ""
			c.state.Local.Pending[id] = &unwanted
			p.Ending = &Ending{phase, why}
		}
	}
	if p.Ending == nil {
		c.finish(p, phase, why)
	}
}

// stopped ends it, now that the step has answered.
func (c *core) stopped(p *Promotion, e *Effect, r Result) {
	if r.Err == nil {
		p.note(r, c.now)
	} else {
		p.suspectTraces(e.Step)
	}
	ending := p.Ending
	p.Ending = nil
	if p.Landed != "" {
		c.land(p)
		return
	}
	c.finish(p, ending.Phase, ending.Message)
}

// suspectTraces takes that a step which gave no answer may have done its work.
func (p *Promotion) suspectTraces(step int) {
	switch p.Plan.Steps[step].Uses {
	case "git-push":
		if p.Plan.Deliver == DeliverPullRequest {
			p.Pushed = BranchName(p.Pipeline, p.Stage, p.Name)
		}
	case "git-open-pr":
		if p.PullRequest == nil {
			p.PullRequest = &PullRequest{Head: p.Commit, State: "open"} // without a number: found by its branch
		}
	}
}

// finish ends a promotion in whatever way. What it left on GitHub is cleaned up
// by effects of their own; the next in the queue does not wait for them.
func (c *core) finish(p *Promotion, phase Phase, why string) {
	if p.Phase.Terminal() {
		return
	}
	p.Phase, p.Message, p.EndedAt, p.Verify = phase, why, c.now, nil
	p.endRedo()
	for i := range p.Steps {
		if !p.Steps[i].Phase.Finished() && p.Steps[i].Phase != StepPending {
			p.Steps[i].Phase = StepPending
		}
	}
	if phase != PhaseErrored && phase != PhaseFailed {
		p.trim()
	}
	c.touchOf(p)
	if pr := p.PullRequest; pr != nil && pr.MergedAs != "" && c.landAfterAll(p, pr.MergedAs) {
		pr.State = "merged" // as an event said, though it could not be read
	}
}

// trim drops what only a promotion that may go on needs.
func (p *Promotion) trim() {
	for i := range p.Steps {
		p.Steps[i].Output = nil
	}
	if p.Plan == nil {
		return
	}
	plan := *p.Plan
	plan.Vars = nil
	plan.Steps = make([]Step, len(p.Plan.Steps))
	for i, s := range p.Plan.Steps {
		plan.Steps[i] = Step{Uses: s.Uses, Added: s.Added, ContinueOnError: s.ContinueOnError}
	}
	p.Plan = &plan
}

// tidy reports whether nothing is left on GitHub of a retried promotion's former
// attempt. It starts no sooner: the new attempt's branch has the same name.
func (c *core) tidy(p *Promotion) bool {
	_, _, _, branch := ParseBranch(p.Pushed)
	return !branch && (p.PullRequest == nil || p.PullRequest.State != "open")
}

// cleanUp closes the pull request and deletes the branch of a promotion that has
// ended, or that is to be tried again.
func (c *core) cleanUp(p *Promotion) {
	if p.Phase.Started() && p.Verify == nil {
		return
	}
	pr := p.PullRequest
	merged := pr != nil && pr.State == "merged" && p.Landed == "" // it was found so, and ended before it was said by which commit
	if pr != nil && pr.State == "open" || merged {
		c.effect(Effect{
			ID: "pull-request/" + p.Name, Kind: KindPullRequest, Pipeline: p.Pipeline, Promotion: p.Name, Number: pr.Number, Branch: p.Pushed, Text: p.Message, Look: p.Look || p.Redo != nil || merged,
		})
		return // GitHub would close it anyway when its branch goes, but without a word
	}
	if _, _, _, own := ParseBranch(p.Pushed); own {
		c.effect(Effect{
			ID: "delete-branch/" + p.Name, Kind: KindDeleteBranch, Pipeline: p.Pipeline, Promotion: p.Name, Branch: p.Pushed, SHA: p.Commit,
		})
	}
}

// Lasting is a duration for people: "under 1 s", "4 s", "2 h 14 min", "3 d 2 h".
func Lasting(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Second:
		return "under 1 s"
	case d < time.Minute:
		return sentence("%d s", int(d.Seconds()))
	case d < time.Hour:
		return sentence("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return sentence("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return sentence("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}
