package promotion

import (
	"slices"
	"time"
)

// takePullRequest takes that a pull request changed: the promotion that waits
// for it looks at it again, and a config is checked before it is merged.
func (c *core) takePullRequest(e PullRequestChanged, at time.Time) {
	p := c.byPullRequest(e.Number)
	if _, _, name, ours := ParseBranch(e.HeadBranch); p == nil && ours && e.SameRepo {
		p = c.promotion(name) // the answer of its opening is still on its way
	}
	if p == nil && c.mergedMeanwhile(e) {
		return
	}
	if e.Action == autoMergeOn || e.Action == autoMergeOff {
		if p != nil {
			c.takeAutoMerge(p, e, at)
		}
		return
	}
	fresh := e.Action == "opened" || e.Action == "reopened" || e.Action == "synchronize"
	if p != nil {
		if fresh && !p.Phase.Terminal() {
			c.standAside(e.Number, e.HeadSHA, e.Base, CheckName(p.Pipeline, p.Stage))
		}
		if c.pendingStep(p) && !p.ownDoing(e) {
			c.own(p).Stirred = true
		}
		switch {
		case p.Phase.Terminal():
			if e.Merged && e.MergedAs != "" && c.landAfterAll(p, e.MergedAs) {
				p = c.own(p)
				if p.PullRequest == nil { // its opening was never answered
					p.PullRequest = &PullRequest{Number: e.Number, Head: e.HeadSHA}
				}
				p.PullRequest.State = "merged"
			}
		case p.Phase == PhaseQueued && p.PullRequest == nil && e.Merged && e.MergedAs != "":
			c.mergedUnknown(p, e)
		case p.PullRequest == nil || p.PullRequest.Number != e.Number:
		case e.Action == "dequeued" && e.Reason != "MERGE":
			c.leftQueue(p, e.Reason)
			return
		case e.Action == "dequeued":
			return // its closing follows
		case e.Action == "closed" || e.Action == "reopened":
			p = c.own(p)
			p.PullRequest.Stale = true
			if e.Merged {
				p.PullRequest.MergedAs = e.MergedAs
			}
			c.touchOf(p)
		case e.Action == "synchronize" && e.HeadSHA != "":
			c.newHead(c.own(p), e, at)
		}
		c.stir(p)
		return
	}
	if _, _, _, ours := ParseBranch(e.HeadBranch); ours && e.SameRepo {
		return
	}
	if e.Action == "closed" {
		c.forgetConfigPull(e.Number)
	}
	if fresh {
		c.standAside(e.Number, e.HeadSHA, e.Base, "")
	}
	if !fresh || e.Base != c.state.Repo.DefaultBranch || e.SameRepo && !c.state.Local.ConfigHeads[e.HeadBranch] {
		return
	}
	c.effect(Effect{
		ID: sentence("config-check/%d/%s", e.Number, e.HeadSHA), Kind: KindConfigCheck, Number: e.Number, SHA: e.HeadSHA, Branch: e.Base,
	})
}

// ownDoing reports whether an event says what the app itself did: opened a pull request
// with its commit, or pushed that. Such an event comes before GitHub's answer now and
// then, and says no more than that.
func (p *Promotion) ownDoing(e PullRequestChanged) bool {
	return (e.Action == "opened" || e.Action == "synchronize") && e.HeadSHA == p.Commit
}

// mergedUnknown takes that somebody merged the pull request of a promotion that an
// earlier life began and that waits for its turn again: it has landed.
func (c *core) mergedUnknown(p *Promotion, e PullRequestChanged) {
	c.adopt(Found{Promotion: p.Name, Pipeline: p.Pipeline, Freight: p.Freight, Branch: e.Base, Commit: e.MergedAs, Landed: true})
	if p = c.own(p); p.Landed == e.MergedAs {
		p.PullRequest = &PullRequest{Number: e.Number, Head: e.HeadSHA, State: "merged"}
		p.Pushed, p.Commit = e.HeadBranch, e.HeadSHA
	}
}

// newHead takes that somebody pushed to a promotion's pull request: the check
// run belongs on the head of now, and what was approved before is not what stands
// there. An approval that was written after the push speaks of it.
func (c *core) newHead(p *Promotion, e PullRequestChanged, at time.Time) {
	pull := p.PullRequest
	if e.HeadSHA != p.Commit && !e.Own && e.By != "" && !slices.Contains(pull.Pushers, e.By) {
		pull.Pushers = append(slices.Clone(pull.Pushers), e.By) // also of a push whose event is late: a read showed the head alone
		c.touchOf(p)
	}
	if pull.Head == e.HeadSHA || at.Before(pull.HeadAt) {
		return
	}
	for i, yes := range p.Approvals {
		if yes.Review == 0 && yes.Head == pull.Head && yes.At.After(at) {
			p.Approvals[i].Head = e.HeadSHA
		}
	}
	pull.Before, pull.Head, pull.HeadAt = pull.Head, e.HeadSHA, at
	p.Queued = false    // GitHub takes it out
	if p.Clash != nil { // what was pushed may have resolved it
		p.Clash, pull.Stale = nil, true
	}
	c.touchOf(p)
}

// pendingStep reports whether a step of the promotion is under way.
func (c *core) pendingStep(p *Promotion) bool {
	for _, e := range c.state.Local.Pending {
		if e.Kind == KindStep && e.Promotion == p.Name {
			return true
		}
	}
	return false
}
