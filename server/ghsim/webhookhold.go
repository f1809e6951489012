package ghsim

import "slices"

// heldBack are deliveries that a test keeps until it lets them go.
type heldBack struct {
	match func(Delivery) bool
	kept  []*delivery
}

// HoldWebhooks keeps matching events until release is called; what happens meanwhile overtakes them. WaitIdle waits for them.
func (s *Sim) HoldWebhooks(match func(Delivery) bool) (release func()) {
	c, held := s.hooks, &heldBack{match: match}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds = append(c.holds, held)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.holds = slices.DeleteFunc(c.holds, func(other *heldBack) bool { return other == held })
		for _, d := range held.kept {
			c.push(d)
		}
		held.kept = nil
	}
}

// keep holds a delivery back, if something wants it.
func (c *courier) keep(d *delivery) bool {
	for _, held := range c.holds {
		if held.match(d.Delivery) {
			c.open++
			held.kept = append(held.kept, d)
			return true
		}
	}
	return false
}

// dropHeld forgets what is held back, for the end.
func (c *courier) dropHeld() {
	for _, held := range c.holds {
		c.finished(len(held.kept))
		held.kept = nil
	}
	c.holds = nil
}
