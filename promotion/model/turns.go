package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func runKey(p *promotion.Promotion, e promotion.Effect) string {
	return fmt.Sprint(e.ID, "@", p.Replays)
}

// edited says that an editing step runs: never again once the core has its
// result (promise 7).
func (r *rules) edited(p *promotion.Promotion, e promotion.Effect) {
	if r.runs[runKey(p, e)] {
		r.fail("promise 7: %s runs again", e.ID)
	}
}

// mayLand says that a promotion pushes to its stage's branch: once.
func (r *rules) mayLand(p *promotion.Promotion) {
	for _, l := range r.landed[placeOf(p)] {
		if l.promotion == p.Name {
			r.fail("promise 8: a second commit of %s", p.Name)
		}
	}
	r.unlessTaken(p)
}

// mayMerge says that the app merges a pull request: only while every gate is
// open, and what it merges is what the core knows.
func (r *rules) mayMerge(p *promotion.Promotion, o *pull) {
	if why := r.shut(p, true); why != "" && p.Pipeline == pipelineName {
		r.fail("%s: the app merges %s although %s", held(why), p.Name, why)
	}
	r.unlessTaken(p)
}

// held is the promise that a gate stands for.
func held(why string) string {
	if why == unapproved {
		return "promise 19"
	}
	return "promise 5"
}

// unlessTaken says that a promotion changes its stage: no other has started there.
func (r *rules) unlessTaken(p *promotion.Promotion) {
	for _, o := range r.state.Pipelines[p.Pipeline].Promotions {
		if o.Stage == p.Stage && o.Phase.Started() && o.Name != p.Name {
			r.fail("promise 1: %s changes %s while %s holds it", p.Name, p.Stage, o.Name)
		}
	}
}

// byHand says that a person merges a pull request, past gates perhaps.
func (r *rules) byHand(p *pull) { r.past[p.promotion] = true }

// moved judges what one decision did to one promotion.
func (r *rules) moved(was, p *promotion.Promotion) {
	if was == nil {
		r.created(p)
	}
	if p.Phase.Started() && (was == nil || !was.Phase.Started() && !was.Phase.Terminal()) {
		r.started(p)
	}
	if was != nil && was.Phase.Terminal() && !p.Phase.Terminal() {
		r.revived(was, p)
	}
	if p.Phase.Terminal() && (was == nil || !was.Phase.Terminal()) {
		r.ended(was, p)
	}
	r.forcedAnew(was, p)
	if was != nil && p.Replays > was.Replays && was.Phase.Started() && !r.stale[p.Name] && !anew(was, p) {
		r.fail("promise 7: %s begins anew for no reason", p.Name)
	}
	if was != nil {
		r.sameOutput(was, p)
	}
	if p.Landed != "" && (was == nil || was.Landed != p.Landed) && !slices.ContainsFunc(r.landed[p.Stage], func(l landing) bool {
		return l.promotion == p.Name && l.sha == p.Landed
	}) {
		r.fail("promise 8: %s is said to have landed with %s, which is not there", p.Name, p.Landed)
	}
	if p.PullRequest != nil && was != nil && was.PullRequest != nil && was.Freight != p.Freight {
		r.fail("promise 6: %s carries other freight than it did", p.Name)
	}
}

// sameOutput judges that what a step gave stays as it is: output that differs from
// run to run is committed once (promise 9).
func (r *rules) sameOutput(was, p *promotion.Promotion) {
	remade := was.Redo != nil || p.Redo != nil || p.Replays != was.Replays // the edit is made anew because its base moved
	if remade || len(p.Steps) != len(was.Steps) || len(p.Steps) == 0 {
		return
	}
	a, b := was.Steps[0], p.Steps[0]
	if a.Phase == promotion.StepSucceeded && b.Phase == promotion.StepSucceeded && b.Output != nil && string(a.Output["value"]) != string(b.Output["value"]) {
		r.fail("promise 9: %s gave %s, and gives %s now", p.Name, a.Output["value"], b.Output["value"])
	}
	if was.Commit != "" && p.Commit != "" && was.Commit != p.Commit && p.Landed == "" && was.Pushed == "" && p.Pushed == "" {
		r.fail("promise 9: %s made %s, and holds %s now", p.Name, was.Commit, p.Commit)
	}
}

// created judges that a promotion is queued at all.
func (r *rules) created(p *promotion.Promotion) {
	st := r.config.Stage(p.Stage)
	switch {
	case p.Look:
		return // an earlier life queued it
	case st == nil || r.ill && !strings.HasPrefix(p.Cause, "rollback/"): // one that began by itself waits until it can be read
		r.fail("§2: %s is queued without a config that has its stage", p.Name)
	case strings.HasPrefix(p.Cause, "rollback/"):
		r.back(p, st)
	case !p.Automatic:
		r.asked(p, st)
	default:
		r.promotedItself(p, st)
	}
}

func (r *rules) promotedItself(p *promotion.Promotion, st *promotion.Stage) {
	key := p.Stage + "/" + p.Freight
	r.byItself[key]++
	why := r.ineligible(st, p.Freight, promotion.PriorityNormal)
	switch {
	case !st.Auto:
		why = "the stage is manual"
	case r.paused[p.Stage] != "":
		why = "the stage is paused after a rollback"
	case r.once[p.Freight]:
		why = "it was blocked once"
	case r.byItself[key] > 1:
		why = "it did so before"
	}
	if cur := r.stageState(p.Stage); cur != nil && cur.Current != nil && cur.Current.Promotion != p.Name && r.order[cur.Current.Freight] >= r.order[p.Freight] && why == "" {
		why = "the stage holds newer freight"
	}
	if why != "" {
		r.fail("promise 5: %s promoted itself although %s", p.Name, why)
	}
}

// asked judges a promotion of a person: somebody who may must have asked for it
// just now.
func (r *rules) asked(p *promotion.Promotion, st *promotion.Stage) {
	// One that blocks it may be carried out right after, in the same decision.
	blocking := slices.ContainsFunc(r.took, func(c judgedCommand) bool { return c.name == "block" })
	if r.blocked[p.Freight] && !blocking {
		r.fail("§4: blocked freight is queued: %s", p.Name)
	}
	if !slices.ContainsFunc(r.took, func(c judgedCommand) bool {
		return c.by == p.RequestedBy && (c.name == "promote" || c.name == "rollback") && c.verdict == promotion.VerdictStarted && r.mayPromote(st, r.reads[c.by])
	}) {
		r.fail("promise 18: nobody who may asked for %s", p.Name)
	}
	if p.Priority == promotion.PriorityRollback {
		r.undo(p)
	}
}

// undo takes that a stage is rolled back from what it holds.
func (r *rules) undo(p *promotion.Promotion) {
	if st := r.stageState(p.Stage); st != nil && st.Current != nil && st.Current.Freight != p.Freight && st.Current.Promotion != p.Name {
		r.undone = set(r.undone, p.Stage+"/"+st.Current.Freight, undoing{len(r.arrivals(p.Stage, st.Current.Freight)), p.Name})
	}
}

// back judges a rollback that began by itself: the stage asks for it, and what
// comes back was verified there.
func (r *rules) back(p *promotion.Promotion, st *promotion.Stage) {
	if st.Verify == nil || st.Verify.OnFailure != promotion.OnFailureRollback {
		r.fail("§2: %s rolls back by itself, which its stage does not ask for", p.Name)
	}
	if _, why := r.verified(p.Stage, p.Freight); why != "" && !strings.Contains(why, "not healthy") {
		r.fail("§2: %s brings back freight although %s", p.Name, why)
	}
	r.undo(p)
	r.paused = set(r.paused, p.Stage, p.Name)
}

// started judges that a promotion starts.
func (r *rules) started(p *promotion.Promotion) {
	if r.adopting || p.Look && (p.Landed != "" || r.heads[promotion.BranchName(p.Pipeline, p.Stage, p.Name)] != nil) {
		return // it had landed, or started, in an earlier life
	}
	if r.ill {
		r.fail("§2: %s starts although the config cannot be read", p.Name)
	}
	if why := r.shut(p, false); why != "" {
		r.fail("%s: %s starts although %s", held(why), p.Name, why)
	}
	st := r.config.Stage(p.Stage)
	if cur := r.stageState(p.Stage); p.Automatic && st != nil && st.Supersede != promotion.SupersedeNever && cur != nil && cur.Current != nil &&
		cur.Current.Promotion != p.Name && r.order[cur.Current.Freight] > r.order[p.Freight] {
		r.fail("§2: %s brings older freight back", p.Name)
	}
}

// revived judges that an ended promotion goes on: somebody retried it, or it
// turned out that it had landed.
func (r *rules) revived(was, p *promotion.Promotion) {
	if p.Landed != "" && was.Landed == "" {
		return
	}
	if (was.Phase != promotion.PhaseFailed && was.Phase != promotion.PhaseErrored) ||
		!slices.ContainsFunc(r.took, func(c judgedCommand) bool { return c.name == "retry" && c.verdict == promotion.VerdictStarted }) {
		r.fail("promise 2: %s was %s and is %s", p.Name, was.Phase, p.Phase)
	}
}
