package model

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// rest judges what must be so when nothing is left to do and all has been told.
func (r *rules) rest() {
	for _, e := range r.state.Local.Pending {
		r.fail("promise 14: %s is still to be done at rest: %s", e.ID, e.Error)
	}
	r.answeredAll()
	if ps := r.state.Pipelines[pipelineName]; ps != nil && !r.ill && r.config != nil {
		r.newest(ps)
		r.commitsSay(ps)
		for i := range r.config.Stages {
			r.stageRests(&r.config.Stages[i], ps)
		}
	}
	r.tidied()
	r.conflictsTold()
	r.repaired()
	r.costsNothing()
}

// newest judges that the newest artifact is known: no commit on main that touches
// the app is newer than it.
func (r *rules) newest(ps *promotion.PipelineState) {
	if sha := r.source(ps.Artifacts["app"].Commit); sha != "" && sha != ps.Artifacts["app"].Commit {
		r.fail("%s: %s is not the newest artifact: that is %s", r.findsOut(), ps.Artifacts["app"].Commit, sha)
	}
}

// findsOut is the promise that what is so gets known: after a lost disk that of the
// empty one (15), else that of lost deliveries (14).
func (r *rules) findsOut() string {
	if r.diskless {
		return "promise 15"
	}
	return "promise 14"
}

// answeredAll judges that every comment has its reactions (promise 18).
func (r *rules) answeredAll() {
	for _, c := range r.hub.said {
		locked := false // it takes no reaction
		for id := range r.hopeless {
			locked = locked || strings.HasPrefix(id, fmt.Sprintf("react/%d/", c.id))
		}
		if n := r.verdicts(c.id); c.listened && !locked && (n == 0 || n > len(c.cmds)) && !(r.lost && (r.reshaped || c.number != issue)) {
			r.fail("promise 18: comment %d has %d last reactions", c.id, n)
		}
	}
}

func (r *rules) stageRests(st *promotion.Stage, ps *promotion.PipelineState) {
	for _, p := range ps.Promotions {
		if p.Stage == st.Name && p.Phase.Started() {
			r.waits(p)
		}
	}
	state := r.stageState(st.Name)
	held := r.landed[st.Name]
	if len(held) == 0 || r.lost || st.Deliver == promotion.DeliverNone {
		return
	}
	last := held[len(held)-1]
	if r.diskless && r.state.FreightByID(pipelineName, last.freight) == nil {
		return // the tracking issue did not know it yet
	}
	if state == nil || state.Current == nil || state.Current.Freight != last.freight && state.Current.At.Before(last.at) {
		r.fail("%s: %s holds %s by %s, which is not known", r.findsOut(), st.Name, last.freight[:7], last.promotion)
		return
	}
	r.eligibleRuns(st, ps, state)
}

// waits judges that something moves a started promotion, and that it says so
// (promises 14 and 20).
func (r *rules) waits(p *promotion.Promotion) {
	o := r.pullOf(p)
	open := o != nil && o.state == "open"
	verifying := p.Verify != nil && p.Verify.Until.After(r.now)
	if p.Phase != promotion.PhaseWaiting || p.Message == "" || !open && !verifying {
		r.fail("promise 14: %s is %s (%q) and nothing moves it", p.Name, p.Phase, p.Message)
	}
	if open && p.PullRequest.Head != o.head {
		r.fail("promise 14: the head of #%d is not known", o.number)
	}
	if st := r.config.Stage(p.Stage); open && st != nil && st.Gates.Approvals == nil && st.PullRequest.Merge == promotion.MergeAuto && p.Plan.PullRequest.Merge == promotion.MergeAuto &&
		r.shut(p, true) == "" && !p.MergeTried && p.Clash == nil {
		r.fail("promise 3: every gate of %s is open, and the app does not merge", p.Name)
	}
}

// eligibleRuns judges that the newest freight that may promote itself did.
func (r *rules) eligibleRuns(st *promotion.Stage, ps *promotion.PipelineState, state *promotion.StageState) {
	if !st.Auto || r.paused[st.Name] || len(st.Gates.Checks) > 0 || st.Gates.Soak > 0 {
		return
	}
	newest := ""
	for _, f := range ps.Freight {
		if r.order[f.ID] > r.order[newest] && r.ineligible(st, f.ID, 0) == "" && r.openAfter(st, f.ID) {
			newest = f.ID
		}
	}
	if r.order[newest] > r.order[state.Current.Freight] && !state.Tried[newest] && !r.once[newest] {
		r.fail("promise 3: %s may promote itself to %s, and nothing came of it", newest[:7], st.Name)
	}
}

// openAfter reports whether all stages before one verified freight, and are healthy.
func (r *rules) openAfter(st *promotion.Stage, freight string) bool {
	for _, before := range st.After {
		now := r.stageState(before)
		if now == nil || now.Health.Bad {
			return false
		}
		if _, ok := now.Verified[freight]; !ok {
			return false
		}
	}
	return true
}

// tidied judges that nothing of an ended promotion is left (promise 17).
func (r *rules) tidied() {
	live := func(name string) bool {
		p := r.state.Promotion(name)
		return p != nil && !p.Phase.Terminal()
	}
	// With the ledger lost, traces of freight that is no longer the newest, and of
	// stages that were not there, stay: nobody knows whether somebody wants them.
	// The same holds of what the tracking issue did not know yet when the disk was lost.
	forgotten := func(freight string) bool {
		unknown := r.state.FreightByID(pipelineName, freight) == nil
		return r.lost && (r.reshaped || r.forced || unknown) || r.diskless && unknown
	}
	for _, o := range r.pulls {
		if o.state == "open" && !live(o.promotion) && !forgotten(o.freight) && !(r.lost && r.state.Promotion(o.promotion) != nil) && !r.hopeless["delete-branch/"+o.promotion] && !r.hopeless["pull-request/"+o.promotion] {
			r.fail("promise 17: #%d of %s was left open", o.number, o.promotion)
		}
	}
	for branch, c := range r.heads {
		_, _, name, _ := promotion.ParseBranch(branch)
		if !live(name) && c.by == "" && !r.lost && !forgotten(c.freight) && !r.hopeless["delete-branch/"+name] {
			r.fail("promise 17: the branch %s was left behind", branch)
		}
	}
	for name := range r.past {
		p := r.state.Promotion(name)
		for _, o := range r.pulls {
			if o.promotion == name && o.state == "merged" && p != nil && p.Landed == "" && !(r.lost && p.Phase == promotion.PhaseSucceeded) {
				r.fail("promise 14: #%d was merged, and %s is %s", o.number, name, p.Phase)
			}
		}
	}
}

// costsNothing judges that at rest neither a wake nor what concerns nothing costs
// anything (promise 10).
func (r *rules) costsNothing() {
	before := r.cost
	r.take(woke())
	r.take(r.event(promotion.LedgerTouched{Number: 55, Action: "closed", By: "octocat"}))
	r.take(r.event(promotion.Pushed{Branch: "feature", After: hash("feature"), Pusher: "octocat", Complete: true}))
	r.take(r.event(promotion.CheckChanged{SHA: hash("x"), Name: "lint", App: 9, ID: 1, Conclusion: "failure"}))
	if r.cost != before {
		r.fail("promise 10: %d effects for what concerns nothing", r.cost-before)
	}
	all := fmt.Sprint(len(r.pulls), len(r.runs), len(r.heads), r.landings())
	for _, d := range r.sent {
		switch body := d.event.Body.(type) {
		case promotion.Pushed:
			continue
		case promotion.Reviewed:
			if r.lost {
				continue // it may have come while nothing was known of its pull request
			}
		case promotion.CheckChanged:
			if r.diskless {
				continue // of a commit between a landing and the tip: those are not read
			}
		case promotion.Pressed:
			if r.diskless {
				continue // it may have been lost with the disk, before the tracking issue held it
			}
		case promotion.Commented:
			if r.verdicts(body.Comment) == 0 || r.lost && r.hopeless[fmt.Sprintf("react/%d/eyes", body.Comment)] {
				continue // nobody listened then, or it takes no reaction that would tell
			}
		}
		r.deliver(d)
	}
	if now := fmt.Sprint(len(r.pulls), len(r.runs), len(r.heads), r.landings()); now != all {
		r.fail("promise 2: deliveries that came again changed something: %s became %s", all, now)
	}
}

func (r *rules) landings() int {
	n := 0
	for _, l := range r.landed {
		n += len(l)
	}
	return n
}
