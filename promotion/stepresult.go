package promotion

import (
	"errors"
	"time"
)

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
	if p.Raced = errors.Is(r.Err, ErrRaced) && p.PullRequest != nil; p.Raced {
		r = p.raced(r)
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
		p.Auto = p.Auto || r.Auto && p.AutoOff == nil
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
