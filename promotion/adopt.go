package promotion

import (
	"slices"
	"time"
)

// takeRebuilt takes that the store was empty: the state is the ledger's, or
// nothing. Everything that GitHub can tell is asked once more, and what an
// earlier life left there is adopted before anything new is made.
func (c *core) takeRebuilt() {
	c.effect(Effect{ID: "adopt", Kind: KindAdopt, Unknown: c.state.Revision == 0})
	c.state.Local.Rebuilt = c.now
	for branch := range c.state.Local.Tips { // they were just read: a push of before, told late, is old
		c.state.Local.TipsAt[branch] = c.now.Truncate(time.Second) // as exact as GitHub tells of pushes
	}
	for _, name := range sortedKeys(c.state.Local.Config) {
		for _, src := range c.state.Local.Config[name].Sources {
			c.lookAtSource(name, src, c.artifactCommit(name, src.Name), "")
		}
	}
	for i, s := range c.state.Comments {
		if !s.Done {
			again := *s
			again.Look = true
			c.state.Comments[i] = &again
		}
	}
	for name, ps := range c.state.Pipelines {
		for _, p := range slices.Clone(ps.Promotions) {
			if p.Phase == PhaseErrored || p.Phase == PhaseFailed {
				p = c.own(p)
				p.Plan, p.Steps = nil, nil // what its steps wrote is lost: a retry begins anew
			}
			if p.Phase == PhaseQueued {
				continue
			}
			p = c.own(p)
			p.Look = true // also an ended one: its last check run may be there
			if p.Phase.Terminal() || p.Verify != nil {
				continue
			}
			if p.PullRequest != nil && p.PullRequest.State == "open" {
				p.PullRequest.Stale = true
				c.askReviews(p)
				if p.redoing() {
					p.beginEdit() // what its steps wrote is lost
				}
				continue
			}
			c.startAgain(p)
		}
		c.pipe(name).suspectCommits()
		c.touchPipeline(name)
	}
}

// startAgain lets the steps that left no trace on GitHub run again: what they
// wrote was in the store, and is lost.
func (c *core) startAgain(p *Promotion) {
	for i := range p.Steps {
		p.Steps[i] = StepState{}
	}
	p.Mounts, p.Commit, p.Changes, p.Empty = nil, "", nil, false
	p.Phase = PhaseRunning
}

// mergedMeanwhile takes that somebody merged a pull request of an earlier life while
// it is being found out what that did: what git showed before does not tell.
func (c *core) mergedMeanwhile(e PullRequestChanged) bool {
	pipeline, _, name, ours := ParseBranch(e.HeadBranch)
	if !ours || !e.SameRepo || !e.Merged || e.MergedAs == "" || !c.adopting() {
		return false
	}
	c.state.Local.Found = append(slices.Clone(c.state.Local.Found), Found{Promotion: name, Pipeline: pipeline, Branch: e.Base, Commit: e.MergedAs, Landed: true})
	return true
}

// longestLook is how long the adoption of an earlier life's traces waits for a source:
// one that a registry's limit or a missing permission holds up would hold up everything.
const longestLook = time.Minute

// sourceSoon reports whether the newest artifact of a source is about to be known.
func (c *core) sourceSoon() bool {
	for _, e := range c.state.Local.Pending {
		if e.Kind == KindSource && e.Version == "" && e.Blocked == "" && e.NotBefore.Sub(c.now) < longestLook {
			return true
		}
	}
	return false
}
