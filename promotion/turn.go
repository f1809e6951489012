package promotion

import (
	"reflect"
	"slices"
)

// newestEligible is the newest freight that may be promoted to the stage with a
// priority, or nil.
func (c *core) newestEligible(p *Pipeline, stage *Stage, priority int) *Freight {
	return c.newestOver(p, stage, priority, 0)
}

// newestOver is newestEligible among the freight with a higher number. A stage
// asks for no other than it holds, so what is old costs nothing. What becomes
// eligible by time alone is looked at again then.
func (c *core) newestOver(p *Pipeline, stage *Stage, priority int, number int64) *Freight {
	for _, f := range slices.Backward(c.state.Pipelines[p.Name].Freight) {
		if f.Number <= number {
			return nil
		}
		gate := shut(c.eligibility(request{p, stage, f.ID, &Promotion{Priority: priority}}))
		if gate == nil {
			return f
		}
		if stage.Auto {
			c.at(p.Name, stage.Name, gate.Until)
		}
	}
	return nil
}

// eligible reports whether the freight may be promoted to the stage at all.
func (c *core) eligible(r request) bool {
	return c.state.FreightByID(r.p.Name, r.freight) != nil && shut(c.eligibility(r)) == nil
}

// startNext starts the next promotion of a stage that has none under way.
func (c *core) startNext(p *Pipeline, stage *Stage) {
	for {
		queue, taken := c.queueOf(p.Name, stage.Name)
		if taken {
			c.tellQueue(p, stage, queue)
			return
		}
		next := queue.PeekFunc(func(pr *Promotion) bool { return c.mayStart(p, stage, pr) })
		if next == nil {
			c.tellQueue(p, stage, queue)
			return
		}
		next = c.own(next)
		if c.overtaken(stage, next) {
			c.finish(next, PhaseSuperseded, "The stage got newer freight meanwhile.")
			continue
		}
		c.start(p, stage, next)
		c.drive(next)
	}
}

// queueOf is the queue of a stage, and whether one has started there.
func (c *core) queueOf(pipeline, stage string) (queue *Queue, taken bool) {
	queue = &Queue{}
	for _, pr := range c.state.Pipelines[pipeline].Promotions {
		if pr.Stage != stage {
			continue
		}
		taken = taken || pr.Phase.Started()
		if pr.Phase == PhaseQueued {
			queue.items = append(queue.items, pr)
		}
	}
	slices.SortFunc(queue.items, inTurn)
	return queue, taken
}

// overtaken reports whether the stage got newer freight than an automatic
// promotion carries: it must not bring older freight back.
func (c *core) overtaken(stage *Stage, pr *Promotion) bool {
	st := c.state.Pipelines[pr.Pipeline].Stages[stage.Name]
	if !pr.Automatic || stage.Supersede == SupersedeNever || st == nil || st.Current == nil {
		return false
	}
	return c.number(pr.Pipeline, st.Current.Freight) > c.number(pr.Pipeline, pr.Freight)
}

// start makes a queued promotion the one that runs. Its plan is that of now.
func (c *core) start(p *Pipeline, stage *Stage, pr *Promotion) {
	pr.StartedAt = c.now
	pr.Phase, pr.Message = PhaseRunning, ""
	pr.Gates = c.startGates(request{p, stage, pr.Freight, pr})
	plan := NewPlan(p, stage, c.state.Repo.DefaultBranch)
	if pr.Plan == nil || !goesOn(pr, plan) {
		if pr.Plan != nil || pr.PullRequest != nil || pr.Commit != "" {
			pr.beginAnew()
		}
		pr.Steps = make([]StepState, len(plan.Steps))
	} else {
		pr.Moved = c.state.Local.Tips[plan.Branch] // since the edit that it goes on with
	}
	pr.Plan = plan
}

// goesOn reports whether a retried promotion goes on from the step that failed:
// what it did so far is what the config of now says, and nothing of it was taken
// away when it ended, as a branch is that nobody merged.
func goesOn(pr *Promotion, plan *Plan) bool {
	if len(plan.Steps) != len(pr.Steps) || pr.Plan.Branch != plan.Branch || pr.Plan.Deliver != plan.Deliver {
		return false
	}
	for i, st := range pr.Steps {
		if st.Phase != StepSucceeded {
			continue
		}
		if plan.Steps[i].Uses == "git-push" && pr.Landed == "" || !reflect.DeepEqual(plan.Steps[i], pr.Plan.Steps[i]) {
			return false
		}
	}
	return reflect.DeepEqual(pr.Plan.Vars, plan.Vars)
}

// beginAnew forgets what the steps did: they run again, on the tip of then.
func (p *Promotion) beginAnew() {
	p.Replays++
	if p.PullRequest != nil && p.PullRequest.Number != 0 {
		p.Former = append(slices.Clone(p.Former), p.PullRequest.Number)
	}
	p.Mounts, p.Commit, p.Changes, p.Pushed, p.PullRequest, p.Landed, p.Empty = nil, "", nil, "", nil, "", false
}
