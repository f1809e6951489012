package promotion

import (
	"slices"
	"time"
)

// settleAll brings all that was touched to rest: ended promotions make room, the
// next ones start, and each started one has its next effect recorded.
func (c *core) settleAll() {
	c.adoptFound()
	c.touchChanged()
	c.thaw()
	c.settleTouched()
	c.hearEarly()
	c.answerComments()
	c.settleTouched() // what was heard of buttons is said where they stood
	c.forgetComments()
}

func (c *core) settleTouched() {
	for len(c.touched) > 0 {
		touched := c.touched
		c.touched = map[string]*concern{}
		for _, name := range sortedKeys(touched) {
			c.settle(name, touched[name])
		}
	}
}

// settle is level-triggered: it looks at what is and derives what should follow,
// so a lost or doubled event changes nothing in the end.
func (c *core) settle(name string, k *concern) {
	p, ps := c.state.Local.Config[name], c.state.Pipelines[name]
	clear(c.wakes)
	if ps == nil {
		c.setWakes(name, k)
		return
	}
	readable := p != nil && len(ps.Broken) == 0 && !ps.Gone
	if readable && (k.all || k.sources) {
		c.poll(p)
	}
	if !c.adopting() {
		c.settleStages(name, k, readable)
	}
	for _, pr := range c.concerned(name, k) {
		if pr.Phase.Terminal() && !c.ownProm[pr] && !c.reshaped {
			continue // nothing came to it, so all that it calls for was recorded before
		}
		c.report(pr)
		c.deploy(pr)
		c.cleanUp(pr)
	}
	c.showCommits(name)
	c.forgetEnded(name)
	c.setWakes(name, k)
}

// settleStages lets freight and promotions go on in the stages of a concern. Where
// the config cannot be read only what has started does.
func (c *core) settleStages(name string, k *concern, readable bool) {
	p := c.state.Local.Config[name]
	stages := k.among(p)
	if !c.state.Pipelines[name].Gone {
		for _, stage := range stages {
			c.thawStage(name, stage.Name)
			c.judgeHealth(p, stage)
		}
	}
	if readable {
		for _, stage := range stages {
			c.promoteByItself(p, stage)
		}
		for _, stage := range stages {
			c.startNext(p, stage)
		}
	}
	for _, pr := range c.concerned(name, k) {
		if pr.Phase.Started() {
			c.drive(pr)
		}
	}
}

// adopting reports whether it is still being found out what an earlier life did:
// until then nothing new is made or started, and no step runs again.
func (c *core) adopting() bool {
	return c.pendingKind(KindAdopt) || len(c.state.Local.Found)+len(c.state.Local.Said) > 0
}

// promoteByItself queues the newest eligible freight of an automatic stage, once.
func (c *core) promoteByItself(p *Pipeline, stage *Stage) {
	if !stage.Auto || c.state.stageOf(p.Name, stage.Name).Paused != nil {
		return
	}
	f := c.newestOver(p, stage, PriorityNormal, c.heldNumber(p.Name, stage.Name))
	if f == nil || c.state.stageOf(p.Name, stage.Name).Tried[f.ID] {
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

// heldNumber is the number of what a stage holds; 0: nothing.
func (c *core) heldNumber(pipeline, stage string) int64 {
	if st := c.state.stageOf(pipeline, stage); st.Current != nil {
		return c.number(pipeline, st.Current.Freight)
	}
	return 0
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
		if o.Stage != p.Stage {
			continue
		}
		if other, _ := ParseName(o.Name); o.Name == p.Name || other.Cause == named.Cause {
			return o
		}
	}
	if c.state.Local.Spent[named.Cause] {
		return p // it was, and ended
	}
	ps.Promotions = append(ps.Promotions, p)
	c.ownProm[p] = true
	c.touchOf(p)
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
