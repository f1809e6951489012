package promotion

import "time"

// at remembers that a pipeline wants to be looked at then without an event.
func (c *core) at(pipeline string, t time.Time) {
	if t.IsZero() || !t.After(c.now) {
		return
	}
	if known, ok := c.wakes[pipeline]; !ok || t.Before(known) {
		c.wakes[pipeline] = t
	}
}

// awaken touches the pipelines whose time has come.
func (c *core) awaken() {
	for name, t := range c.state.Local.Wakes {
		if !t.After(c.now) {
			c.touch(name)
		}
	}
}

// setWake keeps when a settled pipeline wants to be looked at next.
func (c *core) setWake(name string) {
	want, ok := c.wakes[name]
	if known, had := c.state.Local.Wakes[name]; ok == had && want.Equal(known) {
		return
	}
	c.state.Local.Wakes = cloneMap(c.state.Local.Wakes)
	if ok {
		c.state.Local.Wakes[name] = want
	} else {
		delete(c.state.Local.Wakes, name)
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
		c.at(p.Pipeline, until)
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
		c.at(p.Pipeline, until)
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
