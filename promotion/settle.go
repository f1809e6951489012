package promotion

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"time"
)

// settleAll brings every touched pipeline to rest: ended promotions make room,
// the next ones start, and each started one has its next effect recorded.
func (c *core) settleAll() {
	c.adoptFound()
	for {
		names := sortedKeys(c.touched)
		if len(names) == 0 {
			break
		}
		c.touched = map[string]bool{}
		for _, name := range names {
			c.settle(name)
		}
	}
	c.answerComments()
	c.forgetComments()
}

// settle is level-triggered: it looks at what is and derives what should follow,
// so a lost or doubled event changes nothing in the end.
func (c *core) settle(name string) {
	p, ps := c.state.Local.Config[name], c.state.Pipelines[name]
	if ps == nil {
		return
	}
	if p != nil && !c.adopting() && len(ps.Broken) == 0 && !ps.Gone {
		for i := range p.Stages {
			c.promoteByItself(p, &p.Stages[i])
		}
		for i := range p.Stages {
			c.startNext(p, &p.Stages[i])
		}
	}
	for _, pr := range slices.Clone(c.state.Pipelines[name].Promotions) {
		if pr.Phase.Started() {
			c.nextStep(pr)
		}
	}
	for _, pr := range slices.Clone(c.state.Pipelines[name].Promotions) {
		c.report(pr)
		c.cleanUp(pr)
	}
	c.forgetEnded(name)
}

// adopting reports whether it is still being found out what an earlier life did:
// until then nothing new is made or started.
func (c *core) adopting() bool {
	return c.pendingKind(KindAdopt) || len(c.state.Local.Found) > 0
}

// promoteByItself queues the newest eligible freight of an automatic stage, once.
func (c *core) promoteByItself(p *Pipeline, stage *Stage) {
	if !stage.Auto {
		return
	}
	f := c.newestEligible(p, stage)
	if f == nil {
		return
	}
	st := c.state.Pipelines[p.Name].Stages[stage.Name]
	if st != nil && (st.Tried[f.ID] || st.Current != nil && c.number(p.Name, st.Current.Freight) >= f.Number) {
		return
	}
	c.stage(p.Name, stage.Name).Tried[f.ID] = true
	cause := "freight/" + f.ID + "/" + StageRef(p.Name, stage.Name)
	c.add(&Promotion{
		Name: NewName(stage.Name, c.now, cause, f.ID), Pipeline: p.Name, Stage: stage.Name, Freight: f.ID,
		Phase: PhaseQueued, Automatic: true, RequestedBy: authorOf(f), Cause: cause, CreatedAt: c.now,
	})
}

func authorOf(f *Freight) string {
	for _, a := range slices.Backward(f.Artifacts) {
		if a.Author != "" {
			return a.Author
		}
	}
	return ""
}

// add puts a promotion into its queue. A cause that has one already changes
// nothing: the one it has is returned.
func (c *core) add(p *Promotion) *Promotion {
	ps := c.pipe(p.Pipeline)
	named, _ := ParseName(p.Name)
	for _, o := range ps.Promotions {
		other, _ := ParseName(o.Name)
		if o.Name == p.Name || other.Cause == named.Cause && o.Stage == p.Stage {
			return o
		}
	}
	ps.Promotions = append(ps.Promotions, p)
	c.ownProm[p] = true
	c.touch(p.Pipeline)
	c.supersedeQueued(p)
	return p
}

// supersedeQueued drops older automatic promotions that still wait in the queue.
func (c *core) supersedeQueued(newer *Promotion) {
	stage := c.state.Local.Config[newer.Pipeline].Stage(newer.Stage)
	if stage == nil || stage.Supersede == SupersedeNever {
		return
	}
	for _, o := range slices.Clone(c.state.Pipelines[newer.Pipeline].Promotions) {
		if o.Stage != newer.Stage || o.Phase != PhaseQueued || !o.Automatic || o.Name == newer.Name {
			continue
		}
		if c.number(o.Pipeline, o.Freight) < c.number(newer.Pipeline, newer.Freight) {
			c.finish(c.own(o), PhaseSuperseded, sentence("Superseded by %s, which carries newer freight.", newer.Name))
		}
	}
}

func (c *core) number(pipeline, freight string) int64 {
	if f := c.state.FreightByID(pipeline, freight); f != nil {
		return f.Number
	}
	return 0
}

// newestEligible is the newest freight that may be promoted to the stage, or nil.
func (c *core) newestEligible(p *Pipeline, stage *Stage) *Freight {
	var newest *Freight
	for _, f := range c.state.Pipelines[p.Name].Freight {
		if (newest == nil || f.Number > newest.Number) && c.eligible(p, stage, f.ID) {
			newest = f
		}
	}
	return newest
}

// eligible reports whether every stage before this one (afterMode any: one) has
// verified the freight.
func (c *core) eligible(p *Pipeline, stage *Stage, freight string) bool {
	if len(stage.After) == 0 {
		return c.state.FreightByID(p.Name, freight) != nil
	}
	verified := 0
	for _, before := range stage.After {
		if st := c.state.Pipelines[p.Name].Stages[before]; st != nil {
			if _, ok := st.Verified[freight]; ok {
				verified++
			}
		}
	}
	if stage.AfterMode == AfterAny {
		return verified > 0
	}
	return verified == len(stage.After)
}

// startNext starts the next promotion of a stage that has none under way.
func (c *core) startNext(p *Pipeline, stage *Stage) {
	for {
		ps := c.state.Pipelines[p.Name]
		queue := &Queue{}
		for _, pr := range ps.Promotions {
			if pr.Stage != stage.Name {
				continue
			}
			if pr.Phase.Started() {
				return
			}
			queue.Push(pr)
		}
		next := queue.PeekFunc(func(pr *Promotion) bool { return c.eligible(p, stage, pr.Freight) })
		if next == nil {
			return
		}
		next = c.own(next)
		if c.overtaken(stage, next) {
			c.finish(next, PhaseSuperseded, "The stage got newer freight meanwhile.")
			continue
		}
		c.start(p, stage, next)
		c.nextStep(next)
	}
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
	plan := NewPlan(p, stage, c.state.Repo.DefaultBranch)
	if pr.Plan == nil || !goesOn(pr, plan) {
		if pr.Plan != nil {
			pr.beginAnew()
		}
		pr.Steps = make([]StepState, len(plan.Steps))
	}
	pr.Plan = plan
}

// goesOn reports whether a retried promotion goes on from the step that failed:
// what it did so far is what the config of now says, and nothing of it was taken
// away when it ended.
func goesOn(pr *Promotion, plan *Plan) bool {
	if len(plan.Steps) != len(pr.Steps) || pr.Plan.Branch != plan.Branch || pr.Plan.Deliver != plan.Deliver {
		return false
	}
	for i, st := range pr.Steps {
		if st.Phase != StepSucceeded {
			continue
		}
		if plan.Steps[i].Uses == "git-push" || !reflect.DeepEqual(plan.Steps[i], pr.Plan.Steps[i]) {
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
	p.Mounts, p.Commit, p.Changes, p.Pushed, p.PullRequest, p.Empty = nil, "", nil, "", nil, false
}

// forgetEnded keeps every live promotion and the last that ended.
func (c *core) forgetEnded(name string) {
	ended := 0
	for _, pr := range c.state.Pipelines[name].Promotions {
		if c.settled(pr) {
			ended++
		}
	}
	if ended <= endedMemory {
		return
	}
	old := make([]*Promotion, 0, ended)
	for _, pr := range c.state.Pipelines[name].Promotions {
		if c.settled(pr) {
			old = append(old, pr)
		}
	}
	slices.SortFunc(old, func(a, b *Promotion) int {
		return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.Name, b.Name))
	})
	gone := map[string]bool{}
	for _, pr := range old[:ended-endedMemory] {
		gone[pr.Name] = true
	}
	ps := c.pipe(name)
	ps.Promotions = slices.DeleteFunc(ps.Promotions, func(pr *Promotion) bool { return gone[pr.Name] })
}

// settled reports whether a promotion has ended and nothing is left to do for it.
func (c *core) settled(pr *Promotion) bool {
	if !pr.Phase.Terminal() {
		return false
	}
	for _, e := range c.state.Local.Pending {
		if e.Promotion == pr.Name {
			return false
		}
	}
	return true
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// forgetComments drops answered comments that are old or too many.
func (c *core) forgetComments() {
	extra := len(c.state.Comments) - commentMemory
	c.state.Comments = slices.DeleteFunc(c.state.Comments, func(s *CommentState) bool {
		old := c.now.Sub(s.At) > commentAge
		if !s.Done || !old && extra <= 0 {
			return false
		}
		extra--
		return true
	})
}

// Age is how long a promotion took, or has been under way.
func (p *Promotion) Age(now time.Time) time.Duration {
	if !p.EndedAt.IsZero() {
		now = p.EndedAt
	}
	if p.StartedAt.IsZero() {
		return 0
	}
	return now.Sub(p.StartedAt)
}
