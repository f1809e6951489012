package promotion

// Grouped says that GitHub's merge queue wants to know whether a pull request may
// be merged: it has put it, with those before it in the queue, on top of its base,
// and merges that commit when all required checks are green on it.
type Grouped struct {
	Number int    // of the pull request
	Base   string // branch
	SHA    string // of the commit to report on
}

func (Grouped) event() {}

// takeGroup reports our checks on the commit of a merge queue. Nothing else ever
// would, and a required one that nobody reports blocks the queue. What is told of a
// promotion's own pull request is whether its gates are open now.
func (c *core) takeGroup(g Grouped) {
	own := ""
	if p := c.byPullRequest(g.Number); p != nil && p.pullIsOpen() && p.Plan.Branch == g.Base {
		own = CheckName(p.Pipeline, p.Stage)
		c.reportGroup(p, g)
	}
	c.standAside(g.Number, g.SHA, g.Base, own)
}

// reportGroup says on a merge queue's commit whether the promotion may be merged.
func (c *core) reportGroup(p *Promotion, g Grouped) {
	check := &Check{
		Name: CheckName(p.Pipeline, p.Stage), ExternalID: p.Name, SHA: g.SHA, Conclusion: "success",
		Title: "All gates are open: the merge queue may merge it", Revision: c.state.Revision,
	}
	gates, _ := c.gatesOfMerge(p)
	if gate := shut(gates); gate != nil {
		check.Conclusion, check.Title = "failure", gate.Text
	}
	c.effect(Effect{
		ID: "check/" + p.Name + "/" + g.SHA, Kind: KindCheck, Pipeline: p.Pipeline, Promotion: p.Name, SHA: g.SHA, Check: check, Look: p.Look,
	})
}

// leftQueue takes that a pull request is out of the merge queue without a merge.
// What GitHub says is why; nothing puts it back before something changes.
func (c *core) leftQueue(p *Promotion, reason string) {
	if !c.mergesItself(p) || p.Phase != PhaseWaiting {
		return
	}
	p = c.own(p)
	p.MergeTried, p.Queued = true, false
	p.Message = "Taken out of the merge queue: " + queueWords(reason)
	c.touchOf(p)
}

// queueWords say in a person's words why GitHub took a pull request out of its
// merge queue.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads?actionType=dequeued#pull_request
func queueWords(reason string) string {
	words := map[string]string{
		"CI_FAILURE": "a required check failed there", "CI_TIMEOUT": "a required check did not answer in time",
		"MERGE_CONFLICT": "it conflicts with what is before it", "MANUAL": "somebody took it out", "QUEUE_CLEARED": "somebody cleared the queue",
		"BRANCH_PROTECTIONS": "a rule of the branch is not met", "INVALID_MERGE_COMMIT": "GitHub could not make the merge commit",
	}
	if w := words[reason]; w != "" {
		return w
	}
	return "GitHub says " + plain(reason)
}
