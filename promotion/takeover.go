package promotion

import (
	"slices"
	"strings"
)

// doneBefore is what a step says that an earlier life did.
const doneBefore = "done before the restart"

// takeOver lets a promotion go on whose branch an earlier life had pushed: it had
// started, and waits for its pull request as it did. No step runs again, unless those
// after the push ask for what the ones before it gave. It waits for its turn where
// the config delivers otherwise now, or where a promotion of its stage that started
// later is under way.
func (c *core) takeOver(p *Promotion, f Found) {
	config := c.state.Local.Config[p.Pipeline]
	plan := NewPlan(config, config.Stage(p.Stage), c.state.Repo.DefaultBranch)
	opens := slices.IndexFunc(plan.Steps, func(s Step) bool { return s.Uses == "git-open-pr" })
	if plan.Deliver != DeliverPullRequest || opens < 0 || plan.asksOutputs(opens) || c.started(p.Pipeline, p.Stage) != nil {
		return
	}
	p = c.own(p)
	p.Plan, p.Steps, p.Phase = plan, make([]StepState, len(plan.Steps)), PhaseRunning
	p.StartedAt = p.CreatedAt
	if f.At.After(p.CreatedAt) && f.At.Before(c.now) {
		p.StartedAt = f.At.UTC()
	}
	p.Pushed, p.Commit = f.Branch, f.Commit
	if pull := f.Pull; pull != nil {
		opens++
		p.Recalls = true
		p.PullRequest = &PullRequest{Number: pull.Number, URL: pull.URL, Head: pull.Head, State: "open", Pushers: slices.Clone(pull.Pushers), Stale: true}
		if f.Foreign {
			p.PullRequest.HeadAt = c.now // what was approved before may have been other content
		}
	} else {
		p.Moved = c.state.Local.Tips[plan.Branch] // perhaps since the edit that it goes on with
	}
	for i := range p.Steps[:opens] {
		p.Steps[i] = StepState{Phase: StepSucceeded, Message: doneBefore}
	}
	c.askReviews(p)
	c.touchOf(p)
}

// asksOutputs reports whether a step from the one at index from on may ask for what
// the ones before it gave.
func (p *Plan) asksOutputs(from int) bool {
	asks := func(text string) bool { return strings.Contains(text, "outputs") }
	return asks(p.PullRequest.Title) || asks(p.PullRequest.Body) || slices.ContainsFunc(p.Steps[from:], func(s Step) bool {
		return asks(s.If) || asks(string(s.Config))
	})
}

// ended reports whether a trace is of a promotion that came to an end without landing:
// its last pull request is closed.
func (f Found) ended() bool { return !f.Landed && f.Pull != nil && f.Pull.State == "closed" }

// adoptEnded takes that a promotion ended. It is not proposed again, and what it left
// is cleaned up.
func (c *core) adoptEnded(f Found) {
	if c.promotion(f.Promotion) != nil {
		c.adopt(f)
		return
	}
	named, freight, ok := c.knownTrace(f)
	if !ok {
		return
	}
	c.noteCause(f, named, freight)
	if f.Commit == "" || f.Foreign {
		return // nothing of ours is left
	}
	c.endAdopted(c.adopted(f, named, freight), f, PhaseFailed, sentence("#%d was closed without a merge", f.Pull.Number))
}

// adoptGone ends a promotion whose stage the config does not have any more.
func (c *core) adoptGone(f Found) {
	named, ok := ParseName(f.Promotion)
	ours := !f.Foreign && f.Commit != "" && f.Freight != ""
	opened := f.Pull != nil && f.Pull.State == "open" // by us, whoever pushed to it since
	if !ok || f.Landed || !ours && !opened || c.promotion(f.Promotion) != nil {
		return
	}
	c.endAdopted(c.adopted(f, named, &Freight{ID: f.Freight}), f, PhaseAborted, sentence("The stage %s is no longer in the config.", named.Stage))
}

// endAdopted ends a promotion that left its branch, and perhaps a pull request.
func (c *core) endAdopted(p *Promotion, f Found, phase Phase, why string) {
	if !f.Foreign { // a branch that holds what people pushed stays
		p.Pushed, p.Commit = f.Branch, f.Commit
	}
	p.PullRequest = &PullRequest{Head: f.Commit, State: "open"} // without a number: found by its branch
	if f.Pull != nil {
		p.PullRequest = &PullRequest{Number: f.Pull.Number, URL: f.Pull.URL, Head: f.Pull.Head, State: f.Pull.State}
	}
	c.finish(p, phase, why)
}

// readableNow keeps back the traces of pipelines whose files cannot be read, until
// they can, and ends what is of stages that are gone.
func (c *core) readableNow(found []Found) []Found {
	c.state.Local.Kept, c.state.Local.Absent = nil, nil
	var out []Found
	for _, f := range found {
		config := c.state.Local.Config[f.Pipeline]
		switch {
		case c.unreadable(f.Pipeline):
			c.state.Local.Kept = append(c.state.Local.Kept, f)
		case config.Stage(f.stage()) == nil:
			c.adoptGone(f)
			if f.Landed {
				c.state.Local.Absent = append(c.state.Local.Absent, f)
			}
		default:
			out = append(out, f)
		}
	}
	return out
}

// unreadable reports whether nobody knows what stages a pipeline has: its file is there,
// and could not be read since the store was empty.
func (c *core) unreadable(pipeline string) bool {
	ps := c.state.Pipelines[pipeline]
	return c.state.Local.Config[pipeline] == nil && ps != nil && len(ps.Broken) > 0 && !ps.Gone
}

// adoptKept takes up the traces again that were kept back, now that a config was read.
func (c *core) adoptKept() {
	local := &c.state.Local
	back := func(f Found) bool { return local.Config[f.Pipeline].Stage(f.stage()) != nil }
	if slices.ContainsFunc(local.Kept, func(f Found) bool { return !c.unreadable(f.Pipeline) }) || slices.ContainsFunc(local.Absent, back) {
		local.Found = slices.Concat(local.Found, local.Kept, local.Absent)
		local.Kept, local.Absent = nil, nil
	}
}

// spend remembers the cause of a promotion that is not known any more: what made it
// was carried out.
func (c *core) spend(f Found) {
	named, ok := ParseName(f.Promotion)
	if !ok || c.promotion(f.Promotion) != nil {
		return
	}
	c.state.Local.Spent = cloneMap(c.state.Local.Spent)
	c.state.Local.Spent[named.Cause] = true
}
