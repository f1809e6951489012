package promotion

import (
	"errors"
	"time"
)

// takeResult takes what came of an effect. One that is not pending was taken before.
func (c *core) takeResult(r Result) {
	e := c.state.Local.Pending[r.Effect]
	if e == nil {
		return
	}
	c.touchEffect(e)
	if r.Err != nil && !c.gaveUp(e, r.Err) {
		return // it stays pending, and is tried again
	}
	delete(c.state.Local.Pending, e.ID)
	if e.Kind == KindStep {
		c.takeStep(e, r)
		return
	}
	if r.Err != nil {
		c.effectFailed(e, r.Err)
		return
	}
	c.takeAnswer(e, r)
}

// worthTelling is the shortest wait that people are told of.
const worthTelling = 5 * time.Second

// gaveUp sorts an error by the words of errors.go. It reports whether trying
// again is over; if not, the effect waits.
func (c *core) gaveUp(e *Effect, err error) bool {
	again := *e
	again.Error = err.Error()
	var missing *MissingPermission
	switch wait, told := WaitOf(err); {
	case e.Cancelled, errors.Is(err, ErrCancelled):
		return true
	case errors.Is(err, ErrRaced):
		if c.raceAgain(&again, err) {
			return true
		}
	case told:
		again.NotBefore = c.now.Add(max(wait, time.Second))
		if wait < worthTelling {
			break
		}
		if e.Kind == KindSource && e.Version != "" {
			return true // who named the version hears of it now
		}
		c.sayWait(&again, wait, err)
		c.tellWait(&again, sentence("Rate limited by GitHub until %s, nothing is lost", again.NotBefore.Format("15:04 UTC")))
	case errors.As(err, &missing) && (e.Kind == KindDeployment || e.Kind == KindCommitCheck):
		return true // nothing waits for a record that may be left out
	case errors.As(err, &missing):
		again.Blocked = err.Error()
		c.problem(Problem{Key: "blocked/" + missing.Needed + missing.Doing, Text: err.Error()})
		c.tellWait(&again, err.Error())
	case IsTerminal(err), errors.Is(err, ErrStale):
		return true
	default:
		again.Tries++
		if again.Tries >= c.threshold(e) {
			return true
		}
		again.Look = true // the answer may be missing although the effect is there
		again.NotBefore = c.now.Add(max(Pause(again.Tries), e.Kind.Lag()))
	}
	c.state.Local.Pending[e.ID] = &again
	return false
}

func (c *core) threshold(e *Effect) int {
	if e.Kind == KindStep {
		if p := c.promotion(e.Promotion); p != nil && e.Step < len(p.Steps) {
			if n := p.Plan.Steps[e.Step].Retry.ErrorThreshold; n > 0 {
				return n
			}
		}
	}
	return MaxTries
}

// Pause is how long to wait before the next try: 1 s after the first, doubled
// each time, at most 5 minutes.
func Pause(tries int) time.Duration {
	return min(time.Second<<min(max(tries-1, 0), 9), 5*time.Minute)
}

// tellWait says on the promotion what its step waits for.
func (c *core) tellWait(e *Effect, why string) {
	if e.Kind != KindStep {
		return
	}
	if p := c.promotion(e.Promotion); p != nil && p.Phase.Started() {
		p = c.own(p)
		p.Phase, p.Message = PhaseWaiting, why
		p.Steps[e.Step].Phase, p.Steps[e.Step].Message = StepWaiting, why
	}
}
