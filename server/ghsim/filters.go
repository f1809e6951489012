package ghsim

// filters are conditions on deliveries, of which any may hold.
type filters []*filter

type filter struct {
	match func(Delivery) bool
	off   bool
}

func (f filters) match(d Delivery) bool {
	for _, one := range f {
		if !one.off && one.match(d) {
			return true
		}
	}
	return false
}

// add puts a condition into one of the courier's lists, and gives what takes it out again.
func (c *courier) add(list *filters, match func(Delivery) bool) (remove func()) {
	f := &filter{match: match}
	c.mu.Lock()
	defer c.mu.Unlock()
	*list = append(*list, f)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		f.off = true
	}
}
