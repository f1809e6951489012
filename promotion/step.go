package promotion

import (
	"cmp"
	"slices"
	"time"
)

// MaxTries is how often an effect may end in an error before it counts as
// failed for good, where retry.errorThreshold says nothing else. With the
// growing pauses between them (see Pause) thirty tries bridge two hours: what
// GitHub cannot do for an hour is no fault of a promotion.
const MaxTries = 30

// maxReplays bounds how often a promotion begins anew because what it read
// changed under it.
const maxReplays = 20

// replicaLag is how long a read of a pull request may show the head that it had
// before: GitHub's replicas follow within seconds.
const replicaLag = time.Minute

// maxChanges bounds how many changed files a promotion remembers for people.
const maxChanges = 50

// nextStep records the effect of the first step that has not finished, or ends
// the promotion when there is none.
func (c *core) nextStep(pr *Promotion) {
	if pr.Ending != nil || pr.Verify != nil || pr.Phase.Terminal() || c.awaitsAnswer(pr) || c.waitsOn(pr) {
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
		if st.Since.IsZero() {
			st.Since = c.now
		}
		if c.stepTimeOut(pr, i) {
			if st.Phase.Finished() {
				continue
			}
			return
		}
		if pr.redoing() && waitsForMerge(step.Uses) {
			c.redone(pr)
		}
		if tip := pr.Moved; tip != "" && pr.holdsOurs() {
			pr.Moved = ""
			c.compare(pr, tip)
		}
		if why := c.waitsAlready(pr, step); why != "" {
			st.Phase = StepWaiting
			c.waitFor(pr, st, why)
			c.holdMerge(pr, i)
			return
		}
		if st.Phase == StepPending {
			st.Phase = StepRunning
		}
		if pr.Phase != PhaseWaiting || st.Phase == StepRunning {
			pr.Phase = PhaseRunning
		}
		c.stepEffect(pr, i)
		return
	}
	c.conclude(pr)
}

// awaitsAnswer reports whether the step under way has only to be answered.
func (c *core) awaitsAnswer(pr *Promotion) bool {
	i := pr.unfinished()
	if i < 0 || pr.Phase != PhaseRunning || pr.Steps[i].Phase != StepRunning {
		return false
	}
	step := &pr.Plan.Steps[i]
	if step.Retry.Timeout > 0 || step.Uses == usesMerge || step.Uses == usesWait {
		return false
	}
	return c.state.Local.Pending[stepID(pr.Name, i)] != nil
}

// waitsOn reports whether a step goes on waiting for what it waited for, so that
// nothing of the promotion changes.
func (c *core) waitsOn(pr *Promotion) bool {
	i := pr.unfinished()
	if i < 0 || pr.Phase != PhaseWaiting || pr.Steps[i].Phase != StepWaiting || pr.Plan.Steps[i].Retry.Timeout > 0 {
		return false
	}
	why := c.waitsAlready(pr, &pr.Plan.Steps[i])
	if why == "" || why != pr.Message || why != pr.Steps[i].Message {
		return false
	}
	c.holdMerge(pr, i)
	return true
}

// unfinished is the first step that has not finished; -1: all have.
func (p *Promotion) unfinished() int {
	return slices.IndexFunc(p.Steps, func(st StepState) bool { return !st.Phase.Finished() })
}

// stepEffect records the intent of a step. A merge whose gates have shut since
// it was intended only looks.
func (c *core) stepEffect(pr *Promotion, i int) {
	e := Effect{ID: stepID(pr.Name, i), Kind: KindStep, Pipeline: pr.Pipeline, Promotion: pr.Name, Step: i, Look: pr.Look}
	e.Hold = c.holds(pr, i)
	c.holdMerge(pr, i)
	c.effect(e)
}

// holds reports whether a step may not merge now.
func (c *core) holds(pr *Promotion, i int) bool {
	if pr.Plan.Steps[i].Uses != usesMerge {
		return false
	}
	gates, _ := c.gatesOfMerge(pr)
	return shut(gates) != nil || pr.MergeTried || pr.AutoOff != nil
}

// holdMerge tells a merge that is to be tried again how its gates are now.
func (c *core) holdMerge(pr *Promotion, i int) {
	known := c.state.Local.Pending[stepID(pr.Name, i)]
	if known == nil || known.Hold == c.holds(pr, i) {
		return
	}
	again := *known
	again.Hold = !known.Hold
	c.state.Local.Pending[known.ID] = &again
}

func stepID(promotion string, step int) string { return sentence("step/%s/%d", promotion, step) }

// skips decides the steps that need no runner: those after a failure, unless
// their `if` may say otherwise, and the delivery of nothing.
func (c *core) skips(pr *Promotion, step *Step) (bool, string) {
	if step.If == "" && Outcome(pr) != StepSucceeded {
		return true, "an earlier step did not succeed"
	}
	if pr.Empty && pr.Commit == "" && !step.PushesTag() && slices.Contains([]string{"git-push", "git-open-pr", usesWait, usesMerge}, step.Uses) {
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

// waitsAlready says what a step waits for whose pull request is known to be open
// without asking; "": it has to run. A waiting promotion costs nothing until an
// event says that something changed.
func (c *core) waitsAlready(pr *Promotion, step *Step) string {
	open := pr.PullRequest != nil && pr.PullRequest.State == "open" && !pr.PullRequest.Stale
	if step.Uses != usesWait && step.Uses != usesMerge || step.If != "" || len(step.Config) != 0 || !open {
		return ""
	}
	gates, _ := c.gatesOfMerge(pr)
	switch {
	case step.Uses == usesWait || shut(gates) != nil:
		return c.whyUnmerged(pr)
	case pr.AutoOff != nil:
		return pr.heldByHand()
	case pr.MergeTried:
		return cmp.Or(pr.Message, "Waiting until GitHub allows the merge")
	}
	return ""
}

// mergesItself reports whether the app merges the promotion's pull request.
func (c *core) mergesItself(p *Promotion) bool {
	if p.Plan == nil || p.PullRequest == nil || p.PullRequest.State != "open" {
		return false
	}
	return slices.ContainsFunc(p.Plan.Steps, func(s Step) bool { return s.Uses == usesMerge })
}

// stir lets a merge be tried again: something that GitHub asks for may have changed.
func (c *core) stir(p *Promotion) {
	if c.mergesItself(p) && !p.Queued {
		p = c.own(p)
		p.MergeTried, p.Raced = false, false
		c.touchOf(p)
	}
}

// stirHead is stir for what was said of a commit: nothing, unless it is the head
// that GitHub would not merge yet, or is being asked to.
func (c *core) stirHead(p *Promotion, sha string) {
	switch {
	case !c.mergesItself(p) || p.PullRequest.Head != sha:
	case p.MergeTried:
		c.stir(p)
	case c.pendingStep(p):
		c.own(p).Stirred = true
	}
}

func (c *core) waitFor(pr *Promotion, st *StepState, why string) {
	st.Message = why
	pr.Phase, pr.Message = PhaseWaiting, why
}
