package promotion

import (
	"errors"
	"slices"
)

// MaxTries is how often an effect may end in an error before it counts as
// failed for good, where retry.errorThreshold says nothing else. With the
// growing pauses between them (see Pause) thirty tries bridge two hours: what
// GitHub cannot do for an hour is no fault of a promotion.
const MaxTries = 30

// maxReplays bounds how often a promotion begins anew because what it read
// changed under it.
const maxReplays = 20

// maxChanges bounds how many changed files a promotion remembers for people.
const maxChanges = 50

// nextStep records the effect of the first step that has not finished, or ends
// the promotion when there is none.
func (c *core) nextStep(pr *Promotion) {
	if pr.Ending != nil {
		return
	}
	pr = c.own(pr)
	for i := range pr.Steps {
		st := &pr.Steps[i]
		step := &pr.Plan.Steps[i]
		if st.Phase.Finished() {
			continue
		}
		if skip, why := c.skips(pr, step); skip {
			st.Phase, st.Message = StepSkipped, why
			continue
		}
		if c.waitsAlready(pr, step) {
			st.Phase = StepWaiting
			c.waitFor(pr, st, sentence("Waiting for merge: all gates are open"))
			return
		}
		if st.Phase == StepPending {
			st.Phase = StepRunning
		}
		if pr.Phase != PhaseWaiting || st.Phase == StepRunning {
			pr.Phase = PhaseRunning
		}
		c.effect(Effect{ID: stepID(pr.Name, i), Kind: KindStep, Pipeline: pr.Pipeline, Promotion: pr.Name, Step: i, Look: pr.Look})
		return
	}
	c.conclude(pr)
}

func stepID(promotion string, step int) string { return sentence("step/%s/%d", promotion, step) }

// skips decides the steps that need no runner: those after a failure, unless
// their `if` may say otherwise, and the delivery of nothing.
func (c *core) skips(pr *Promotion, step *Step) (bool, string) {
	if step.If == "" && Outcome(pr) != StepSucceeded {
		return true, "an earlier step did not succeed"
	}
	if pr.Empty && pr.Commit == "" && slices.Contains([]string{"git-push", "git-open-pr", "git-wait-for-pr"}, step.Uses) {
		return true, "nothing to change"
	}
	return false, ""
}

// Outcome is what the steps so far amount to: failed or errored when one of
// them was and was not told to be continued past, else succeeded.
func Outcome(pr *Promotion) StepPhase {
	worst := StepSucceeded
	for i, st := range pr.Steps {
		if pr.Plan.Steps[i].ContinueOnError {
			continue
		}
		if st.Phase == StepErrored || st.Phase == StepFailed && worst == StepSucceeded {
			worst = st.Phase
		}
	}
	return worst
}

// waitsAlready reports whether it is known without asking that the pull request
// is open. A waiting promotion costs nothing until an event says that it changed.
func (c *core) waitsAlready(pr *Promotion, step *Step) bool {
	return step.Uses == "git-wait-for-pr" && step.If == "" && len(step.Config) == 0 &&
		pr.PullRequest != nil && pr.PullRequest.State == "open" && !pr.PullRequest.Stale
}

func (c *core) waitFor(pr *Promotion, st *StepState, why string) {
	st.Message = why
	pr.Phase, pr.Message = PhaseWaiting, why
}

// takePullRequest takes that a pull request changed: the promotion that waits
// for it looks at it again, and a config is checked before it is merged.
func (c *core) takePullRequest(e PullRequestChanged) {
	p := c.byPullRequest(e.Number)
	if _, _, name, ours := ParseBranch(e.HeadBranch); p == nil && ours && e.SameRepo {
		p = c.promotion(name) // the answer of its opening is still on its way
	}
	if p != nil {
		if c.pendingStep(p) {
			c.own(p).Stirred = true
		}
		switch {
		case p.Phase.Terminal():
			if e.Merged && e.MergedAs != "" && c.landAfterAll(p, e.MergedAs) {
				c.own(p).PullRequest.State = "merged"
			}
		case p.PullRequest == nil || p.PullRequest.Number != e.Number:
		case e.Action == "closed" || e.Action == "reopened":
			c.own(p).PullRequest.Stale = true
			c.touch(p.Pipeline)
		case e.Action == "synchronize" && e.HeadSHA != "":
			c.own(p).PullRequest.Head = e.HeadSHA // the check run belongs on the head of now
			c.touch(p.Pipeline)
		}
		return
	}
	if _, _, _, ours := ParseBranch(e.HeadBranch); ours && e.SameRepo {
		return
	}
	fresh := e.Action == "opened" || e.Action == "reopened" || e.Action == "synchronize"
	if !fresh || e.Base != c.state.Repo.DefaultBranch || e.SameRepo && !c.state.Local.ConfigHeads[e.HeadBranch] {
		return
	}
	c.effect(Effect{
		ID: sentence("config-check/%d/%s", e.Number, e.HeadSHA), Kind: KindConfigCheck, Number: e.Number, SHA: e.HeadSHA, Branch: e.Base,
	})
}

// pendingStep reports whether a step of the promotion is under way.
func (c *core) pendingStep(p *Promotion) bool {
	for _, e := range c.state.Local.Pending {
		if e.Kind == KindStep && e.Promotion == p.Name {
			return true
		}
	}
	return false
}

// takeStep takes what came of a step.
func (c *core) takeStep(e *Effect, r Result) {
	p := c.promotion(e.Promotion)
	if p == nil || !p.Phase.Started() || e.Step >= len(p.Steps) || p.Steps[e.Step].Phase.Finished() {
		return // it ended meanwhile: what the step left is cleaned up with it
	}
	p = c.own(p)
	if p.Ending != nil {
		c.stopped(p, e, r)
		return
	}
	if errors.Is(r.Err, ErrStale) {
		c.replay(p)
		return
	}
	p.note(r)
	if p.Stirred && p.PullRequest != nil && p.PullRequest.State == "open" {
		p.PullRequest.Stale = true
	}
	p.Stirred = false
	st := &p.Steps[e.Step]
	st.Output, st.Message, st.Phase = r.Output, r.Message, r.Phase
	switch {
	case r.Err != nil:
		st.Phase, st.Message = StepErrored, r.Err.Error()
		p.Phase = PhaseRunning
		p.suspectTraces(e.Step)
	case r.Phase == StepWaiting:
		c.waitFor(p, st, r.Message)
	default:
		p.Phase, p.Message = PhaseRunning, ""
	}
}

// note keeps what a step's result says of the promotion as a whole.
func (p *Promotion) note(r Result) {
	if r.Mounts != nil {
		p.Mounts = r.Mounts
	}
	set(&p.Commit, r.Commit)
	set(&p.Pushed, r.Pushed)
	set(&p.Landed, r.Landed)
	if r.Commit != "" || r.Empty {
		p.Empty = r.Empty
	}
	if r.Changes != nil {
		p.Changes = r.Changes[:min(len(r.Changes), maxChanges)]
	}
	if r.PullRequest != nil {
		pr := *r.PullRequest
		p.PullRequest = &pr
	}
}

// replay begins the steps anew on the new tip: what they read or wrote changed
// there. Nothing of the first attempt has reached GitHub.
func (c *core) replay(p *Promotion) {
	p.Replays++
	if p.Replays > maxReplays {
		c.finish(p, PhaseErrored, sentence("The branch %s moved %d times while the steps ran.", p.Plan.Branch, maxReplays))
		return
	}
	for i := range p.Steps {
		p.Steps[i] = StepState{}
	}
	p.Mounts, p.Commit, p.Changes, p.Empty = nil, "", nil, false
	p.Phase, p.Message = PhaseRunning, ""
	delete(c.state.Local.Tips, p.Plan.Branch) // what was heard of it is old
}

// conclude ends a promotion whose steps have all finished.
func (c *core) conclude(p *Promotion) {
	switch Outcome(p) {
	case StepErrored:
		c.finish(p, PhaseErrored, c.blame(p, StepErrored))
	case StepFailed:
		c.finish(p, PhaseFailed, c.blame(p, StepFailed))
	default:
		c.land(p)
	}
}

// blame is the sentence about the step that ended it.
func (c *core) blame(p *Promotion, phase StepPhase) string {
	for i, st := range p.Steps {
		if st.Phase != phase || p.Plan.Steps[i].ContinueOnError {
			continue
		}
		if phase == StepFailed {
			return st.Message
		}
		return sentence("Errored at step %d of %d (%s): %s", i+1, len(p.Steps), p.Plan.Steps[i].Uses, st.Message)
	}
	return ""
}
