package promotion

import (
	"slices"
	"time"
)

// settleAll brings every touched pipeline to rest: ended promotions make room,
// the next ones start, and each started one has its next effect recorded.
func (c *core) settleAll() {
	c.adoptFound()
	for {
		c.thaw()
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
	delete(c.wakes, name)
	defer c.setWake(name)
	if p != nil && !c.adopting() && !ps.Gone {
		for i := range p.Stages {
			c.judgeHealth(p, &p.Stages[i])
			c.at(name, c.freezeEnd(name, p.Stages[i].Name))
		}
	}
	if p != nil && len(ps.Broken) == 0 && !ps.Gone {
		c.poll(p)
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
		if pr.Phase.Started() && !c.adopting() {
			c.drive(pr)
		}
	}
	for _, pr := range slices.Clone(c.state.Pipelines[name].Promotions) {
		if pr.Phase.Terminal() && !c.ownProm[pr] && !c.reshaped {
			continue // nothing came to it, so all that it calls for was recorded before
		}
		c.report(pr)
		c.deploy(pr)
		c.cleanUp(pr)
	}
	c.forgetEnded(name)
}

// adopting reports whether it is still being found out what an earlier life did:
// until then nothing new is made or started, and no step runs again.
func (c *core) adopting() bool {
	return c.pendingKind(KindAdopt) || len(c.state.Local.Found) > 0
}

// promoteByItself queues the newest eligible freight of an automatic stage, once.
func (c *core) promoteByItself(p *Pipeline, stage *Stage) {
	if !stage.Auto || c.state.stageOf(p.Name, stage.Name).Paused != nil {
		return
	}
	st, held := c.state.stageOf(p.Name, stage.Name), int64(0)
	if st.Current != nil {
		held = c.number(p.Name, st.Current.Freight)
	}
	f := c.newestOver(p, stage, PriorityNormal, held)
	if f == nil || st.Tried[f.ID] {
		return
	}
	c.stage(p.Name, stage.Name).Tried[f.ID] = true
	if c.alreadyUnderWay(p, stage, f) != nil {
		return // a person was faster
	}
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
	c.supersede(p)
	return p
}

// supersede drops older automatic promotions: those that still wait in the
// queue, and with `open` also the one whose pull request is open, unless a person
// pushed to it. What was asked for too early lets them pass.
func (c *core) supersede(newer *Promotion) {
	config := c.state.Local.Config[newer.Pipeline]
	stage := config.Stage(newer.Stage)
	if stage == nil || stage.Supersede == SupersedeNever || !c.eligible(request{config, stage, newer.Freight, newer}) {
		return
	}
	for _, o := range slices.Clone(c.state.Pipelines[newer.Pipeline].Promotions) {
		if o.Stage != newer.Stage || !o.Automatic || o.Name == newer.Name || !supersedable(stage, o) {
			continue
		}
		if c.number(o.Pipeline, o.Freight) < c.number(newer.Pipeline, newer.Freight) {
			c.stop(c.own(o), PhaseSuperseded, sentence("Superseded by %s, which carries newer freight.", newer.Name))
			newer.Supersedes = append(newer.Supersedes, o.Name)
		}
	}
}

func supersedable(stage *Stage, o *Promotion) bool {
	if o.Phase == PhaseQueued {
		return true
	}
	pull := o.PullRequest
	return stage.Supersede == SupersedeOpen && o.Phase.Started() && pull != nil && pull.State == "open" && len(pull.Pushers) == 0
}

func (c *core) number(pipeline, freight string) int64 {
	if f := c.state.FreightByID(pipeline, freight); f != nil {
		return f.Number
	}
	return 0
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
