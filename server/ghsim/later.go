package ghsim

// later runs f soon, in a goroutine that close and waitIdle wait for. After close it runs nothing.
func (c *courier) later(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.open++
	c.group.Add(1)
	go func() {
		defer c.group.Done()
		f()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.finished(1)
	}()
}
