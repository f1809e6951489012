package promotion

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// takeRebuilt takes that the store was empty: the state is the ledger's, or
// nothing. Everything that GitHub can tell is asked once more, and what an
// earlier life left there is adopted before anything new is made.
func (c *core) takeRebuilt() {
	c.effect(Effect{ID: "adopt", Kind: KindAdopt})
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

// adoptFound takes the traces of an earlier life, once all freight is known.
func (c *core) adoptFound() {
	if len(c.state.Local.Found) == 0 || c.pendingKind(KindAdopt) || c.sourceSoon() {
		return
	}
	found := c.state.Local.Found
	c.state.Local.Found = nil
	slices.SortFunc(found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Promotion, b.Promotion), landedFirst(a, b))
	})
	for _, f := range found {
		c.adopt(f)
	}
	c.touchAll()
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

func landedFirst(a, b Found) int {
	switch {
	case a.Landed == b.Landed:
		return 0
	case a.Landed:
		return -1
	}
	return 1
}

// leftBehind notes the branch that a promotion left, so that it is deleted in the
// end. Without freight its tip is not our commit, and it stays. One that the
// ledger holds as queued goes on from its branch, as an adopted one does.
func (c *core) leftBehind(p *Promotion, f Found) {
	if f.Landed || f.Freight == "" {
		return
	}
	if p.pullIsOpen() && p.Redo == nil && p.Commit != f.Commit {
		c.own(p).Commit = f.Commit // its edit was made anew, and the ledger does not know
		return
	}
	if p.Pushed != "" {
		return
	}
	p = c.own(p)
	if p.Phase == PhaseQueued {
		p.Look = true
		return
	}
	p.Pushed, p.Commit = f.Branch, f.Commit
	c.touchOf(p)
}

// landedThough takes that a promotion which was thought to have failed is found to
// have landed, if nothing came to its stage since it started.
func (c *core) landedThough(p *Promotion, f Found) {
	st := c.state.stageOf(p.Pipeline, p.Stage)
	if !f.Landed || p.StartedAt.IsZero() || st.Current != nil && !p.StartedAt.After(st.Current.At) {
		return
	}
	c.foundOld = true
	c.landAfterAll(p, f.Commit)
	c.foundOld = false
}

// adopt makes the promotion that left a trace, if the ledger does not have it.
func (c *core) adopt(f Found) {
	p := c.promotion(f.Promotion)
	if p != nil && (p.Phase.Terminal() || !f.Landed) {
		c.landedThough(p, f)
		c.leftBehind(p, f)
		return
	}
	if p != nil && p.PullRequest != nil {
		return // GitHub is asked how its pull request ended, and by which commit
	}
	config := c.state.Local.Config[f.Pipeline]
	named, ok := ParseName(f.Promotion)
	if !ok || config.Stage(named.Stage) == nil {
		return
	}
	freight := c.freightOf(f, named)
	if freight == nil {
		return
	}
	if st := c.state.Pipelines[f.Pipeline].Stages[named.Stage]; p == nil && st != nil && st.Current != nil && !named.At.After(st.Current.At) {
		return // older than what the stage holds: it was known once, and forgotten since
	}
	if p == nil {
		p = c.adopted(f, named, freight)
	}
	if !f.Landed {
		return
	}
	p = c.own(p)
	p.Landed, p.Commit = f.Commit, f.Commit
	if p.StartedAt.IsZero() {
		p.StartedAt = p.CreatedAt
	}
	if p.Plan == nil {
		p.Plan = NewPlan(config, config.Stage(named.Stage), c.state.Repo.DefaultBranch)
		p.Steps = make([]StepState, len(p.Plan.Steps))
	}
	done := p.Plan.untilTags()
	for i := range p.Steps[:done] {
		p.Steps[i] = StepState{Phase: StepSucceeded, Message: "done before the restart"}
	}
	p.Checks = nil
	p.Look = true // its check run may be there already
	if done < len(p.Steps) {
		p.Phase, p.Message = PhaseRunning, "" // its tags may be there or not
		return
	}
	problems := c.state.Problems
	c.foundOld = true
	c.land(p)
	c.foundOld = false
	c.state.Problems = problems // it landed before they came up
}

// untilTags is how many of the steps are known to be done once the plan's commit has
// landed: all of them, or up to its push where tags are pushed after it.
func (p *Plan) untilTags() int {
	landed := 0
	for i := range p.Steps {
		switch {
		case p.Steps[i].PushesTag() && landed > 0:
			return landed
		case p.Steps[i].Uses == "git-push":
			landed = i + 1
		}
	}
	return len(p.Steps)
}

func (c *core) freightOf(f Found, named Named) *Freight {
	for _, fr := range c.state.Pipelines[f.Pipeline].Freight {
		if fr.ID == f.Freight || f.Freight == "" && strings.HasPrefix(fr.ID, named.Freight) {
			return fr
		}
	}
	return nil
}

// adopted queues the promotion under the name that GitHub knows it by.
func (c *core) adopted(f Found, named Named, freight *Freight) *Promotion {
	cause := "freight/" + freight.ID + "/" + StageRef(f.Pipeline, named.Stage)
	automatic := causePart(cause) == named.Cause
	if automatic {
		c.stage(f.Pipeline, named.Stage).Tried[freight.ID] = true
	} else {
		cause = "adopted/" + f.Promotion
	}
	p := &Promotion{
		Name: f.Promotion, Pipeline: f.Pipeline, Stage: named.Stage, Freight: freight.ID, Phase: PhaseQueued,
		Automatic: automatic, RequestedBy: f.RequestedBy, Cause: cause, CreatedAt: named.At, Look: true,
	}
	ps := c.pipe(f.Pipeline)
	ps.Promotions = append(ps.Promotions, p)
	c.ownProm[p] = true
	c.touchOf(p)
	return p
}
