package promotion

import (
	"slices"
	"strings"
	"time"
)

// baseMoved takes that a branch moved to which pull requests of promotions go.
// Those whose files changed there are compared with it. A push that touches none
// of their files cannot make them conflict, and costs nothing (promise 10).
func (c *core) baseMoved(push Pushed, tip string) {
	c.stirRaced(push.Branch)
	var where []string
	if push.Complete {
		where = c.somewhere(append(touchedKeys(push.Commits), placeAny)...)
	} else {
		where = sortedKeys(c.state.Pipelines)
	}
	for _, p := range c.onto(push.Branch, where) {
		if !push.Complete || !c.bringsIn(push, p) && p.meets(push.Commits) {
			c.compare(p, tip)
		}
	}
}

// baseUnseen takes that a branch moved of which no push told yet, or in no order:
// what changed there is not known, so all that go there are compared with it.
func (c *core) baseUnseen(branch, before, tip string) {
	if before == "" || before == tip {
		return
	}
	c.stirRaced(branch)
	for _, p := range c.onto(branch, sortedKeys(c.state.Pipelines)) {
		c.compare(p, tip)
	}
}

// onto are the promotions of some pipelines whose pull requests go to a branch and are open, or will be
// in a moment, in order of name.
func (c *core) onto(branch string, pipelines []string) []*Promotion {
	var out []*Promotion
	for _, name := range pipelines {
		for _, p := range c.state.Pipelines[name].Promotions {
			if (p.pullIsOpen() || p.opensPull()) && p.Plan.Branch == branch {
				out = append(out, p)
			}
		}
	}
	slices.SortFunc(out, func(a, b *Promotion) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// bringsIn reports whether a push is the merge of the promotion's own pull request.
func (c *core) bringsIn(push Pushed, p *Promotion) bool {
	return slices.ContainsFunc(push.Commits, func(k PushedCommit) bool {
		by := c.mergedBy(k, push.Branch)
		return Trailer(k.Message, TrailerPromotion) == p.Name || by != nil && by.Name == p.Name
	})
}

// meets reports whether commits touch what the promotion changed. Where it
// changed more than is remembered they may.
func (p *Promotion) meets(commits []PushedCommit) bool {
	if len(p.Changes) >= maxChanges || len(p.Changes) == 0 {
		return true
	}
	return slices.ContainsFunc(commits, func(k PushedCommit) bool { return len(touching(k.Paths, p.paths())) > 0 })
}

// opensPull reports whether the promotion is about to open its pull request.
func (p *Promotion) opensPull() bool {
	return p.Phase.Started() && p.Plan != nil && p.Plan.Deliver == DeliverPullRequest && p.PullRequest == nil
}

func (p *Promotion) paths() []string {
	out := make([]string, len(p.Changes))
	for i, ch := range p.Changes {
		out[i] = ch.Path
	}
	return out
}

// touching are those of the files that a list of changed paths touches: the file
// itself, or what stands where a folder on its way was.
func touching(changed, files []string) []string {
	var out []string
	for _, file := range files {
		if slices.ContainsFunc(changed, func(path string) bool {
			return path == file || strings.HasPrefix(file, path+"/") || strings.HasPrefix(path, file+"/")
		}) {
			out = append(out, file)
		}
	}
	return out
}

// compare asks whether a promotion's own commit still merges into the tip of its
// base. Where people pushed to the pull request, GitHub is asked.
func (c *core) compare(p *Promotion, tip string) {
	switch {
	case p.PullRequest == nil:
		c.own(p).Moved = tip
	case p.Redo != nil:
		again := *p.Redo
		again.Again = tip
		c.own(p).Redo = &again
	case p.holdsOurs() && tip == p.Base(): // it was made on that
	case p.holdsOurs() && tip != "":
		e := Effect{
			ID: sentence("compare/%s/%s/%s", p.Name, short(p.Commit), short(tip)), Kind: KindCompare,
			Pipeline: p.Pipeline, Promotion: p.Name, Branch: p.Plan.Branch, SHA: tip, Text: p.Commit,
		}
		e.NotBefore = c.dropCompares(p, e.ID)
		c.effect(e)
	case p.Phase == PhaseWaiting:
		c.askGitHub(p)
	}
}

// dropCompares takes no answer any more of comparisons with older tips. What they
// were told to wait for holds for the next one too: it is the time returned.
func (c *core) dropCompares(p *Promotion, but string) (until time.Time) {
	for id, e := range c.state.Local.Pending {
		if id == but || e.Kind != KindCompare || e.Promotion != p.Name {
			continue
		}
		if e.NotBefore.After(until) {
			until = e.NotBefore
		}
		delete(c.state.Local.Pending, id)
	}
	return until
}

// compared takes in which files a promotion's commit conflicts with its base.
func (c *core) compared(e *Effect, r Result) {
	p := c.promotion(e.Promotion)
	if p == nil || !p.holdsOurs() || p.Commit != e.Text || p.redoing() {
		return
	}
	if len(r.Conflicts) > 0 {
		c.wantRedo(p, Redo{Why: "it conflicted", Tip: e.SHA, Gone: r.Moved})
		return
	}
	if p.Clash != nil { // what people changed there, they took back
		c.own(p).Clash = nil
		c.touchOf(p)
	}
}
