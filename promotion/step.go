package promotion

import (
	"cmp"
	"errors"
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
	return shut(gates) != nil || pr.MergeTried
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
		c.own(p).MergeTried = false
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

// takePullRequest takes that a pull request changed: the promotion that waits
// for it looks at it again, and a config is checked before it is merged.
func (c *core) takePullRequest(e PullRequestChanged, at time.Time) {
	p := c.byPullRequest(e.Number)
	if _, _, name, ours := ParseBranch(e.HeadBranch); p == nil && ours && e.SameRepo {
		p = c.promotion(name) // the answer of its opening is still on its way
	}
	if p == nil && c.mergedMeanwhile(e) {
		return
	}
	fresh := e.Action == "opened" || e.Action == "reopened" || e.Action == "synchronize"
	if p != nil {
		if fresh && !p.Phase.Terminal() {
			c.standAside(e.Number, e.HeadSHA, e.Base, CheckName(p.Pipeline, p.Stage))
		}
		if c.pendingStep(p) && !(e.Action == "synchronize" && e.HeadSHA == p.Commit) {
			c.own(p).Stirred = true
		}
		switch {
		case p.Phase.Terminal():
			if e.Merged && e.MergedAs != "" && c.landAfterAll(p, e.MergedAs) {
				p = c.own(p)
				if p.PullRequest == nil { // its opening was never answered
					p.PullRequest = &PullRequest{Number: e.Number, Head: e.HeadSHA}
				}
				p.PullRequest.State = "merged"
			}
		case p.Phase == PhaseQueued && p.PullRequest == nil && e.Merged && e.MergedAs != "":
			c.mergedUnknown(p, e)
		case p.PullRequest == nil || p.PullRequest.Number != e.Number:
		case e.Action == "dequeued" && e.Reason != "MERGE":
			c.leftQueue(p, e.Reason)
			return
		case e.Action == "dequeued":
			return // its closing follows
		case e.Action == "closed" || e.Action == "reopened":
			p = c.own(p)
			p.PullRequest.Stale = true
			if e.Merged {
				p.PullRequest.MergedAs = e.MergedAs
			}
			c.touchOf(p)
		case e.Action == "synchronize" && e.HeadSHA != "":
			c.newHead(c.own(p), e, at)
		}
		c.stir(p)
		return
	}
	if _, _, _, ours := ParseBranch(e.HeadBranch); ours && e.SameRepo {
		return
	}
	if e.Action == "closed" {
		c.forgetConfigPull(e.Number)
	}
	if fresh {
		c.standAside(e.Number, e.HeadSHA, e.Base, "")
	}
	if !fresh || e.Base != c.state.Repo.DefaultBranch || e.SameRepo && !c.state.Local.ConfigHeads[e.HeadBranch] {
		return
	}
	c.effect(Effect{
		ID: sentence("config-check/%d/%s", e.Number, e.HeadSHA), Kind: KindConfigCheck, Number: e.Number, SHA: e.HeadSHA, Branch: e.Base,
	})
}

// mergedUnknown takes that somebody merged the pull request of a promotion that an
// earlier life began and that waits for its turn again: it has landed.
func (c *core) mergedUnknown(p *Promotion, e PullRequestChanged) {
	c.adopt(Found{Promotion: p.Name, Pipeline: p.Pipeline, Freight: p.Freight, Branch: e.Base, Commit: e.MergedAs, Landed: true})
	if p = c.own(p); p.Landed == e.MergedAs {
		p.PullRequest = &PullRequest{Number: e.Number, Head: e.HeadSHA, State: "merged"}
		p.Pushed, p.Commit = e.HeadBranch, e.HeadSHA
	}
}

// newHead takes that somebody pushed to a promotion's pull request: the check
// run belongs on the head of now, and what was approved before is not what stands
// there. An approval that was written after the push speaks of it.
func (c *core) newHead(p *Promotion, e PullRequestChanged, at time.Time) {
	pull := p.PullRequest
	if pull.Head == e.HeadSHA || at.Before(pull.HeadAt) {
		return
	}
	for i, yes := range p.Approvals {
		if yes.Review == 0 && yes.Head == pull.Head && yes.At.After(at) {
			p.Approvals[i].Head = e.HeadSHA
		}
	}
	pull.Before, pull.Head, pull.HeadAt = pull.Head, e.HeadSHA, at
	p.Queued = false    // GitHub takes it out
	if p.Clash != nil { // what was pushed may have resolved it
		p.Clash, pull.Stale = nil, true
	}
	if e.HeadSHA != p.Commit && !e.Own && e.By != "" && !slices.Contains(pull.Pushers, e.By) {
		pull.Pushers = append(pull.Pushers, e.By)
	}
	c.touchOf(p)
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
	p.note(r, c.now)
	if p.Stirred && !r.Queued && p.PullRequest != nil && p.PullRequest.State == "open" {
		p.PullRequest.Stale = true
	}
	p.Stirred = false
	if r.Err == nil && len(r.Metadata) > 0 {
		c.pipe(p.Pipeline)
		r.Err = c.state.SetMetadata(p.Pipeline, r.Metadata)
	}
	c.takeMergeability(p, r.Mergeable, r.Tried)
	if p.redoing() {
		r = c.takeRedoStep(p, e, r)
	}
	st := &p.Steps[e.Step]
	st.Output, st.Message, st.Phase = r.Output, r.Message, r.Phase
	switch {
	case r.Err != nil:
		st.Phase, st.Message = StepErrored, r.Err.Error()
		if errors.Is(r.Err, ErrCancelled) {
			st.Message = sentence("It did not end within %s", Span(p.Plan.Steps[e.Step].Retry.Timeout))
			if e.Error != "" {
				st.Message += "; last error: " + e.Error
			}
		}
		p.Phase = PhaseRunning
		p.suspectTraces(e.Step)
	case r.Phase == StepWaiting:
		c.waitFor(p, st, r.Message)
		if r.Tried && p.PullRequest != nil && !p.PullRequest.Stale {
			p.MergeTried, p.Queued = true, r.Queued
		}
	default:
		p.Phase, p.Message = PhaseRunning, ""
	}
}

// note keeps what a step's result says of the promotion as a whole.
func (p *Promotion) note(r Result, now time.Time) {
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
		p.PullRequest = p.seen(*r.PullRequest, now)
	}
}

// seen is a pull request as it was read, with what only events tell.
func (p *Promotion) seen(pull PullRequest, now time.Time) *PullRequest {
	if known := p.PullRequest; known != nil && known.Number == pull.Number {
		pull.HeadAt, pull.Before, pull.Pushers = known.HeadAt, known.Before, known.Pushers
		switch {
		case known.Head == pull.Head:
		case pull.Head == known.Before && now.Sub(known.HeadAt) < replicaLag:
			pull.Head = known.Head
		default:
			pull.Before, pull.HeadAt = known.Head, now // its event is late or lost
		}
	}
	return &pull
}

// replay begins the steps anew on the new tip: what they read or wrote changed
// there. Nothing of the first attempt has reached GitHub. What was last heard of
// the branch stays known, though it is old: a late push is told by it, and steps
// that begin anew do not rely on it.
func (c *core) replay(p *Promotion) {
	p.Replays++
	if p.Replays-p.Redos > maxReplays {
		c.finish(p, PhaseErrored, sentence("The branch %s moved %d times while the steps ran.", p.Plan.Branch, maxReplays))
		return
	}
	for i := range p.Steps {
		p.Steps[i] = StepState{}
	}
	p.Mounts, p.Commit, p.Changes, p.Empty = nil, "", nil, false
	p.Phase, p.Message = PhaseRunning, ""
	if p.Redo != nil {
		again := *p.Redo
		again.Tip = ""
		p.Redo = &again
	}
}

// conclude ends a promotion whose steps have all finished.
func (c *core) conclude(p *Promotion) {
	if p.redoing() && Outcome(p) != StepSucceeded && p.PullRequest.State == "open" {
		c.redoFailed(p)
		return
	}
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
