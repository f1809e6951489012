package promotion

import (
	"slices"
	"time"
)

// Early is a delivery about a promotion's pull request or check run that came while it
// was being found out what an earlier life had made: it waits until that is known.
type Early struct {
	At      time.Time  `json:"at"`
	Cause   string     `json:"cause,omitempty"`
	Comment *Commented `json:"comment,omitempty"`
	Press   *Pressed   `json:"press,omitempty"`
	Review  *Reviewed  `json:"review,omitempty"`
}

// mostEarly bounds what waits: of what comes after it GitHub has a copy.
const mostEarly = 200

// keepEarly keeps a delivery that cannot be understood yet, and reports whether it did.
func (c *core) keepEarly(e Early) bool {
	if !c.tracing() || len(c.state.Local.Early) >= mostEarly {
		return false
	}
	e.At = c.when(e.At)
	c.state.Local.Early = append(slices.Clone(c.state.Local.Early), e)
	return true
}

// tracing reports whether it is still being found out which pull requests are those of
// promotions.
func (c *core) tracing() bool {
	if c.adopting() || len(c.state.Local.Kept) > 0 {
		return true
	}
	if c.state.Local.Rebuilt.IsZero() {
		return false
	}
	for _, e := range c.state.Local.Pending {
		if e.Kind != KindStep || !e.Look || e.Blocked != "" {
			continue
		}
		p := c.promotion(e.Promotion)
		if p != nil && p.Look && p.PullRequest == nil && p.Plan != nil && p.Plan.Steps[e.Step].Uses == "git-open-pr" {
			return true
		}
	}
	return false
}

// hearEarly takes what waited, now that all pull requests are known.
func (c *core) hearEarly() {
	if len(c.state.Local.Early) == 0 || c.tracing() {
		return
	}
	early := c.state.Local.Early
	c.state.Local.Early = nil
	for _, e := range early {
		switch ev := (Event{Cause: e.Cause, At: e.At}); {
		case e.Comment != nil:
			c.takeComment(*e.Comment, e.At)
		case e.Press != nil:
			c.takePressed(*e.Press, ev)
		case e.Review != nil:
			c.takeReview(*e.Review, ev)
		}
	}
}
