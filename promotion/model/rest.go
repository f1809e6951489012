package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// rest judges what must be so when nothing is left to do and all has been told.
func (r *rules) rest() {
	for _, e := range r.state.Local.Pending {
		r.fail("promise 14: %s is still to be done at rest: %s", e.ID, e.Error)
	}
	r.answeredAll()
	r.heardAll()
	if ps := r.state.Pipelines[pipelineName]; ps != nil && !r.ill && r.config != nil {
		r.newest(ps)
		r.commitsSay(ps)
		for i := range r.config.Stages {
			r.stageRests(&r.config.Stages[i], ps)
		}
	}
	r.besideRests()
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
		if n := r.verdicts(c.id); c.listened && !locked && (n == 0 || n > len(c.cmds)) {
			r.fail("promise 18: comment %d has %d last reactions", c.id, n)
		}
	}
}

// heardAll judges that each press that was taken can be known again: a check run of its
// promotion says so.
func (r *rules) heardAll() {
	for _, c := range r.state.Comments {
		p := r.state.Promotion(c.On)
		if p == nil || r.hopelessly("check/"+p.Name) || unshown(p) {
			continue
		}
		press, told := promotion.PressID(c.Cause), len(p.Checks) == 0
		for _, k := range p.Checks {
			told = told || slices.Contains(r.presses[p.Name+"@"+k.SHA], press)
		}
		if !told {
			r.fail("promise 18: nothing says that %s of %s by %s was heard", c.Commands[0].Name, p.Name, c.By)
		}
	}
}

// unshown reports whether no check run shows how a promotion stands: it waits for its
// turn, or ended before it came to anything.
func unshown(p *promotion.Promotion) bool {
	dropped := p.Phase == promotion.PhaseSuperseded || p.Phase == promotion.PhaseAborted
	return p.Phase == promotion.PhaseQueued || p.PullRequest == nil && (dropped || len(p.Mounts) == 0 && p.Landed == "")
}

func (r *rules) stageRests(st *promotion.Stage, ps *promotion.PipelineState) {
	for _, p := range ps.Promotions {
		if p.Stage == st.Name && p.Phase.Started() {
			r.waits(p)
		}
	}
	state := r.stageState(st.Name)
	held := r.landed[st.Name]
	if len(held) == 0 || st.Deliver == promotion.DeliverNone {
		return
	}
	last := held[len(held)-1]
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
	if open && p.Pipeline == pipelineName {
		r.approvalsStay(p)
	}
	if st := r.config.Stage(p.Stage); open && st != nil && p.Pipeline == pipelineName && st.Gates.Approvals == nil && st.PullRequest.Merge == promotion.MergeAuto && p.Plan.PullRequest.Merge == promotion.MergeAuto &&
		r.shut(p, true) == "" && !p.MergeTried && p.Clash == nil {
		r.fail("promise 3: every gate of %s is open, and the app does not merge", p.Name)
	}
}

// eligibleRuns judges that the newest freight that may promote itself did.
func (r *rules) eligibleRuns(st *promotion.Stage, ps *promotion.PipelineState, state *promotion.StageState) {
	if !st.Auto || r.paused[st.Name] != "" || r.lost && state.Paused != nil || len(st.Gates.Checks) > 0 || st.Gates.Soak > 0 {
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
		if r.ill && slices.ContainsFunc(r.state.Local.Kept, func(f promotion.Found) bool { return f.Promotion == name }) {
			return true // what its stage is cannot be read
		}
		p := r.state.Promotion(name)
		return p != nil && !p.Phase.Terminal()
	}
	for _, o := range r.pulls {
		if o.state == "open" && !live(o.promotion) && !r.hopeless["delete-branch/"+o.promotion] && !r.hopeless["pull-request/"+o.promotion] {
			r.fail("promise 17: #%d of %s was left open", o.number, o.promotion)
		}
	}
	for branch, c := range r.heads {
		_, _, name, _ := promotion.ParseBranch(branch)
		if !live(name) && c.by == "" && !r.hopeless["delete-branch/"+name] {
			r.fail("promise 17: the branch %s was left behind", branch)
		}
	}
	for name := range r.past {
		p := r.state.Promotion(name)
		for _, o := range r.pulls {
			if o.promotion == name && o.state == "merged" && p != nil && p.Landed == "" {
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
		case promotion.CheckChanged:
			if r.diskless {
				continue // of a commit between a landing and the tip: those are not read
			}
		case promotion.Pressed:
			if press := promotion.PressID(d.event.Cause); r.diskless && !slices.Contains(r.presses[body.Promotion+"@"+body.SHA], press) {
				continue // it was lost with the disk, before anything came of it
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
