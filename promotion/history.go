package promotion

const (
	historyBatch = 10 // ended promotions that one comment of the history holds
	// mostEnded bounds the ended promotions of a pipeline while their comment cannot be
	// written. Beyond it the check runs are what remains.
	mostEnded = 50
)

// writeHistory puts the promotions that ended first into a comment of the tracking
// issue. They are forgotten when it stands there.
func (c *core) writeHistory(pipeline string, old []*Promotion) {
	last := old[len(old)-1]
	e := Effect{
		ID: "history/" + pipeline + "/" + last.Name, Kind: KindHistory, Pipeline: pipeline, Number: c.state.Issue, Names: namesOf(old),
		SentAt: last.EndedAt, // no comment of it is older, also one of an earlier life
	}
	for _, pr := range old {
		e.Look = e.Look || pr.Look
	}
	c.effect(e)
}

// writesHistory reports whether a comment of the pipeline's history is under way.
func (c *core) writesHistory(pipeline string) bool {
	for _, e := range c.state.Local.Pending {
		if e.Kind == KindHistory && e.Pipeline == pipeline {
			return true
		}
	}
	return false
}

// historyWritten forgets what stands in a comment now.
func (c *core) historyWritten(e *Effect) {
	if c.state.Pipelines[e.Pipeline] != nil {
		c.dropPromotions(e.Pipeline, e.Names)
		c.touchPipeline(e.Pipeline)
	}
}
