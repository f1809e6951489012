package model

import (
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// ended judges how a promotion ended.
func (r *rules) ended(was, p *promotion.Promotion) {
	if p.Message == "" && p.Phase != promotion.PhaseErrored {
		r.fail("promise 20: %s is %s and does not say why", p.Name, p.Phase)
	}
	did := func(names ...string) bool {
		return slices.ContainsFunc(r.took, func(c judgedCommand) bool { return slices.Contains(names, c.name) })
	}
	gone := r.config.Stage(p.Stage) == nil
	ordered := p.Ending != nil || was != nil && was.Ending != nil // while its step was under way
	switch p.Phase {
	case promotion.PhaseSucceeded:
		r.succeeded(p)
	case promotion.PhaseFailed:
		if p.Landed == "" && !r.wasRefused(p) {
			r.fail("§1: %s failed although nobody said no: %s", p.Name, p.Message)
		}
		if was != nil && was.Verify != nil {
			r.failedVerification(was, p)
		}
	case promotion.PhaseErrored:
		if r.stale[p.Name] && !r.wasHopeless(p) { // somebody else, perhaps another stage, pushed to its branch
			r.fail("promise 4: %s errored because its branch moved: %s", p.Name, p.Message)
		}
		if !r.wasHopeless(p) {
			r.fail("promise 13: %s errored although nothing was hopeless: %s", p.Name, p.Message)
		}
	case promotion.PhaseAborted:
		if !gone && !ordered && !did("abort") {
			r.fail("§1: %s was aborted by nobody", p.Name)
		}
	case promotion.PhaseRejected:
		if !ordered && !did("reject", "block") {
			r.fail("§1: %s was rejected by nobody", p.Name)
		}
	case promotion.PhaseSuperseded:
		r.superseded(was, p)
	}
}

// superseded judges that a promotion made room for newer freight (promise 6).
func (r *rules) superseded(was, p *promotion.Promotion) {
	if !p.Automatic {
		r.fail("promise 6: %s was asked for by %s, and is superseded", p.Name, p.RequestedBy)
	}
	if was == nil || was.Ending != nil {
		return
	}
	st := r.config.Stage(p.Stage)
	if strings.Contains(p.Message, "is rolled back") {
		return
	}
	if st != nil && st.Supersede == promotion.SupersedeNever {
		r.fail("promise 6: %s is superseded although its stage lets each one run", p.Name)
	}
	if was.Phase.Started() {
		switch {
		case st != nil && st.Supersede != promotion.SupersedeOpen:
			r.fail("promise 6: %s had started, and is superseded", p.Name)
		case was.PullRequest != nil && len(was.PullRequest.Pushers) > 0:
			r.fail("promise 6: %s has a person's commits, and is superseded", p.Name)
		}
	}
	if strings.HasPrefix(p.Message, "The stage got newer freight") {
		if cur := r.stageState(p.Stage); cur.Current == nil || r.order[cur.Current.Freight] <= r.order[p.Freight] {
			r.fail("promise 6: %s is superseded by nothing newer", p.Name)
		}
		return
	}
	for _, o := range r.state.Pipelines[pipelineName].Promotions {
		if slices.Contains(o.Supersedes, p.Name) {
			if r.order[o.Freight] <= r.order[p.Freight] || !strings.Contains(p.Message, o.Name) {
				r.fail("promise 6: %s is superseded by %s, which is not newer or not named", p.Name, o.Name)
			}
			return
		}
	}
	r.fail("promise 6: %s is superseded, and nothing says by what", p.Name)
}

// succeeded judges a good end: something landed, or there was nothing to change.
func (r *rules) succeeded(p *promotion.Promotion) {
	if slices.ContainsFunc(r.landed[p.Stage], func(l landing) bool { return l.promotion == p.Name }) {
		return
	}
	held := r.landed[p.Stage]
	same := len(held) > 0 && held[len(held)-1].freight == p.Freight
	if p.Plan != nil && len(p.Steps) > 0 && !same && !r.continued(p) {
		r.fail("promise 12: %s succeeded, and its stage does not hold its freight", p.Name)
	}
	r.empty[p.Stage] = append(r.empty[p.Stage], landing{promotion: p.Name, freight: p.Freight, at: r.now})
}

// continued reports whether steps that did not succeed were to be passed over.
func (r *rules) continued(p *promotion.Promotion) bool {
	for _, s := range p.Plan.Steps {
		if s.ContinueOnError {
			return true
		}
	}
	return false
}

// wasRefused reports whether somebody or something said no to a promotion.
func (r *rules) wasRefused(p *promotion.Promotion) bool {
	for _, o := range r.pulls {
		if o.promotion == p.Name && o.state == "closed" {
			return true
		}
	}
	return r.wasHopeless(p)
}

// wasHopeless reports whether an effect of the promotion could not be done, or
// its time was over.
func (r *rules) wasHopeless(p *promotion.Promotion) bool {
	if r.hopelessStep(p.Name) {
		return true
	}
	if p.Plan == nil || len(p.Plan.Steps) == 0 {
		return false
	}
	retry := p.Plan.Steps[0].Retry
	overdue := p.Plan.Timeout > 0 && !r.now.Before(p.StartedAt.Add(p.Plan.Timeout))
	return overdue || retry.ErrorThreshold > 0 || retry.Timeout > 0 && !r.now.Before(p.StartedAt.Add(retry.Timeout))
}

func (r *rules) hopelessStep(promotion string) bool {
	for id := range r.hopeless {
		if strings.HasPrefix(id, "step/"+promotion+"/") {
			return true
		}
	}
	return false
}

// failedVerification judges that what landed was not verified: a check said no,
// or there was silence for long enough.
func (r *rules) failedVerification(was, p *promotion.Promotion) {
	st := r.config.Stage(p.Stage)
	if st == nil || strings.HasPrefix(p.Message, "Rolled back") {
		return
	}
	silent := !r.now.Before(was.Verify.Until)
	if !silent && !r.anyRed(p.Stage, p.Landed, "argocd/web") {
		r.fail("§2: %s is not verified although no check said no: %s", p.Name, p.Message)
	}
}

// turns judges whose turn it was in every stage (promises 1 and 3).
func (r *rules) turns(before, now *promotion.PipelineState) {
	for i := range r.stages {
		r.turn(stageName(i), before, now)
	}
}

func (r *rules) turn(stage string, before, now *promotion.PipelineState) {
	var runs *promotion.Promotion
	fresh := false
	for _, p := range now.Promotions {
		if p.Stage != stage || !p.Phase.Started() {
			continue
		}
		if runs != nil {
			r.fail("promise 1: %s and %s run at once", p.Name, runs.Name)
		}
		runs, fresh = p, !slices.ContainsFunc(before.Promotions, func(o *promotion.Promotion) bool { return o.Name == p.Name && o.Phase.Started() })
	}
	if runs != nil && !fresh {
		return
	}
	for _, q := range now.Promotions {
		if q.Stage != stage || q.Phase != promotion.PhaseQueued || !r.open(q) {
			continue
		}
		switch {
		case runs == nil && r.runsElsewhere(stage, now):
			r.fail("promise 4: %s waits while only other stages run", q.Name)
		case runs == nil:
			r.fail("promise 3: %s waits for its turn while its stage is free", q.Name)
		case !slices.ContainsFunc(before.Promotions, func(o *promotion.Promotion) bool { return o.Name == q.Name && o.Phase == promotion.PhaseQueued }):
		case runs.Priority != q.Priority && q.Priority > runs.Priority, runs.Priority == q.Priority && q.CreatedAt.Before(runs.CreatedAt):
			r.fail("promise 1: %s starts before %s, whose turn it is", runs.Name, q.Name)
		}
	}
}

// runsElsewhere reports whether another stage is at work.
func (r *rules) runsElsewhere(stage string, now *promotion.PipelineState) bool {
	return slices.ContainsFunc(now.Promotions, func(p *promotion.Promotion) bool { return p.Stage != stage && p.Phase.Started() })
}

// open reports whether every gate of a queued promotion's start is surely open.
func (r *rules) open(p *promotion.Promotion) bool {
	st := r.config.Stage(p.Stage)
	if st == nil || r.ill || r.state.FreightByID(pipelineName, p.Freight) == nil || r.shut(p, false) != "" {
		return false
	}
	if _, _, _, own := promotion.ParseBranch(p.Pushed); own || p.PullRequest != nil && p.PullRequest.State == "open" {
		return false // its former attempt has to be cleaned up
	}
	if st.Gates.Approvals != nil && (st.Deliver != promotion.DeliverPullRequest || len(st.Steps) == 0) {
		return false // which of several a yes was for is not followed here
	}
	if p.Priority == promotion.PriorityRollback {
		return true
	}
	if len(st.Gates.Checks) > 0 {
		return false // what the core was told of later commits is not followed here
	}
	good := 0
	for _, before := range st.After {
		now := r.stageState(before)
		if now == nil || now.Health.Bad {
			continue
		}
		if at, ok := now.Verified[p.Freight]; ok && (p.Priority > 0 || !r.now.Before(at.Add(st.Gates.Soak))) {
			good++
		}
	}
	if len(st.After) == 0 && st.Gates.Soak > 0 {
		return false
	}
	return good == len(st.After)
}
