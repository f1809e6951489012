package promotion

import (
	"strings"
	"time"
)

// wakeKey names a stage among Local.Wakes; without a stage, the sources of the pipeline.
func wakeKey(pipeline, stage string) string { return pipeline + "/" + stage }

// at remembers that a stage wants to be looked at then without an event.
func (c *core) at(pipeline, stage string, t time.Time) {
	if t.IsZero() || !t.After(c.now) {
		return
	}
	key := wakeKey(pipeline, stage)
	if known, ok := c.wakes[key]; !ok || t.Before(known) {
		c.wakes[key] = t
	}
}

// awaken touches the stages whose time has come.
func (c *core) awaken() {
	for key, t := range c.state.Local.Wakes {
		if t.After(c.now) {
			continue
		}
		switch pipeline, stage, ok := strings.Cut(key, "/"); {
		case !ok: // written before each stage had its own
			c.touchPipeline(pipeline)
		case stage == "":
			c.touchSources(pipeline)
		default:
			c.touch(pipeline, stage)
		}
	}
}

// setWakes keeps when what was settled of a pipeline wants to be looked at next.
func (c *core) setWakes(name string, k *concern) {
	for key := range c.state.Local.Wakes {
		pipeline, stage, one := strings.Cut(key, "/")
		mine := pipeline == name && (k.all || one && (stage == "" && k.sources || stage != "" && k.has(stage)))
		if _, still := c.wakes[key]; mine && !still {
			c.ownWakes()
			delete(c.state.Local.Wakes, key)
		}
	}
	for key, want := range c.wakes {
		if known, had := c.state.Local.Wakes[key]; !had || !want.Equal(known) {
			c.ownWakes()
			c.state.Local.Wakes[key] = want
		}
	}
}

// ownWakes copies the wakes before the first change.
func (c *core) ownWakes() {
	if !c.wakesOwned {
		c.state.Local.Wakes, c.wakesOwned = cloneMap(c.state.Local.Wakes), true
	}
}

// timeOut ends a promotion that took longer than its stage allows. One that has
// landed has done what it was for.
func (c *core) timeOut(p *Promotion) {
	if p.Plan == nil || p.Plan.Timeout <= 0 || p.Landed != "" || p.Ending != nil {
		return
	}
	until := p.StartedAt.Add(p.Plan.Timeout)
	if until.After(c.now) {
		c.at(p.Pipeline, p.Stage, until)
		return
	}
	c.stop(c.own(p), PhaseErrored, sentence("Timed out: it did not end within %s of its start", Span(p.Plan.Timeout)))
}

// stepTimeOut ends a step that took longer than its retry.timeout. It reports
// whether the step is to be left alone: it has ended, or its end is awaited.
func (c *core) stepTimeOut(p *Promotion, i int) bool {
	st, limit := &p.Steps[i], p.Plan.Steps[i].Retry.Timeout
	if limit <= 0 || st.Since.IsZero() {
		return false
	}
	until := st.Since.Add(limit)
	if until.After(c.now) {
		c.at(p.Pipeline, p.Stage, until)
		return false
	}
	if e := c.state.Local.Pending[stepID(p.Name, i)]; e != nil {
		unwanted := *e // its answer is waited for: it may have done its work
		unwanted.Cancelled, unwanted.NotBefore, unwanted.Blocked = true, time.Time{}, ""
		c.state.Local.Pending[e.ID] = &unwanted
		return true
	}
	st.Phase, st.Message = StepErrored, sentence("It did not end within %s", Span(limit))
	p.Phase = PhaseRunning
	return true
}
