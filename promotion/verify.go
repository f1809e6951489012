package promotion

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// begins lets a landed promotion wait for its verification, if its stage asks
// for one and there is a commit to verify. A stage whose place somebody else has
// meanwhile waits for nothing: its health is judged all the same.
func (c *core) begins(p *Promotion) bool {
	stage := c.state.Local.Config[p.Pipeline].Stage(p.Stage)
	if stage == nil || stage.Verify == nil || p.Landed == "" {
		return false
	}
	if slices.ContainsFunc(c.state.Pipelines[p.Pipeline].Promotions, func(o *Promotion) bool {
		return o.Stage == p.Stage && o.Phase.Started() && o.Name != p.Name
	}) {
		return false
	}
	p.Verify = &Verification{Since: c.now, Until: wholeSecond(c.now.Add(cmp.Or(stage.Verify.Timeout, DefaultVerify)))}
	p.Phase = PhaseWaiting
	c.touchOf(p)
	return true
}

// verify judges a landed promotion by what others say of its commit.
func (c *core) verify(p *Promotion) {
	config := c.state.Local.Config[p.Pipeline]
	stage := config.Stage(p.Stage)
	if st := c.state.stageOf(p.Pipeline, p.Stage); st.Current == nil || st.Current.Promotion != p.Name {
		c.finish(c.own(p), PhaseSucceeded, sentence("Landed in %s; something else landed before it was verified", Lasting(p.landedAfter())))
		return
	}
	if config != nil && (stage == nil || stage.Verify == nil) {
		c.verified(p, "Landed in "+Lasting(p.landedAfter()))
		return
	}
	if config == nil {
		return // unreadable: what is asked for is not known
	}
	v := c.judgeChecks(stage.Verify.Checks, c.branchOf(stage), p.Landed)
	switch over := !p.Verify.Until.After(c.now); {
	case v.isGreen():
		c.verified(p, sentence("Landed in %s, verified", Lasting(p.landedAfter())))
	case v.isRed():
		c.notVerified(p, stage, "Verification said no: "+strings.Join(v.red, ", "))
	case over && !p.Verify.Asked:
		p = c.own(p)
		asked := *p.Verify
		asked.Asked = true
		p.Verify = &asked // an answer may have got lost: what is so is read before silence counts
		for _, sha := range c.containing(c.branchOf(stage), p.Landed) {
			if sha == p.Landed || sha == last(c.containing(c.branchOf(stage), p.Landed)) {
				c.effect(Effect{ID: "checks/" + sha, Kind: KindChecks, SHA: sha})
			}
		}
		c.touchOf(p) // they may be asked for already, and may not be read
	case over && !c.reading(p, stage):
		c.notVerified(p, stage, sentence("Verification got no answer within %s: %s", Span(p.Verify.Until.Sub(p.Verify.Since)), v.waitsFor()))
	default:
		c.at(p.Pipeline, p.Stage, p.Verify.Until)
		if stale := p.Verify.stale(); stale.After(c.now) && stale.Before(p.Verify.Until) {
			c.at(p.Pipeline, p.Stage, stale)
		}
		c.tell(p, sentence("Verifying: %d of %d %s green", v.green, v.all, plural(v.all, "check")))
	}
}

// staleAfter is how long a check run is left in progress. After 14 days GitHub gives
// it up and calls it stale, so it is completed before, and judges nothing until
// verification ends. https://docs.github.com/en/rest/checks/runs
const staleAfter = 13 * 24 * time.Hour

// stale is when the check run of a verification cannot stay in progress any longer.
func (v *Verification) stale() time.Time { return v.Since.Add(staleAfter) }

func last(list []string) string { return list[len(list)-1] }

// reading reports whether the checks of the landed commit are being read.
func (c *core) reading(p *Promotion, stage *Stage) bool {
	for _, sha := range c.containing(c.branchOf(stage), p.Landed) {
		if e := c.state.Local.Pending["checks/"+sha]; e != nil && e.Blocked == "" {
			return true
		}
	}
	return false
}

// waitsFor names what has not answered.
func (v verdict) waitsFor() string {
	switch {
	case v.failed != "":
		return v.failed
	case len(v.silent) > 0:
		return strings.Join(v.silent, ", ")
	}
	return sentence("%d of %d green", v.green, v.all)
}

// tell says where a promotion stands, if that is news.
func (c *core) tell(p *Promotion, why string) {
	if p.Message != why {
		c.own(p).Message = why
	}
}

// verified ends a promotion well: its freight counts as verified.
func (c *core) verified(p *Promotion, why string) {
	p = c.own(p)
	p.Verify = nil
	c.stage(p.Pipeline, p.Stage).Health = Health{}
	c.counts(p.Pipeline, p.Stage)
	c.finish(p, PhaseSucceeded, c.withPast(p, why))
}

// notVerified ends it badly, as the stage's onFailure says.
func (c *core) notVerified(p *Promotion, stage *Stage, why string) {
	p = c.own(p)
	p.Verify = nil
	if stage.Verify.OnFailure == OnFailureIgnore {
		c.counts(p.Pipeline, p.Stage)
		c.finish(p, PhaseSucceeded, c.withPast(p, sentence("Landed in %s. %s, which is ignored here", Lasting(p.landedAfter()), why)))
		return
	}
	st := c.stage(p.Pipeline, p.Stage)
	st.Health = Health{Bad: true, Why: why, Since: c.now}
	delete(st.Verified, p.Freight)
	c.finish(p, PhaseFailed, why)
	if stage.Verify.OnFailure == OnFailureRollback && p.Priority != PriorityRollback {
		c.rollBackFrom(p, stage, why)
	}
}

// rollBackFrom brings back by itself what was verified before.
func (c *core) rollBackFrom(p *Promotion, stage *Stage, why string) {
	f := c.verifiedBefore(p.Pipeline, p.Stage)
	if f == nil {
		p.Message += ". There is nothing to roll back to"
		return
	}
	cause := "rollback/" + p.Name
	c.rollBack(c.state.Local.Config[p.Pipeline], stage, f, &Promotion{
		Name: NewName(stage.Name, c.now, cause, f.ID), RequestedBy: p.RequestedBy, Cause: cause, CreatedAt: c.now,
		Reason: sentence("rollback: %s", why),
	}, &Mark{At: c.now, Reason: why})
}

// judgeHealth looks at what a stage holds: a check that turns red later makes it
// unhealthy, one that turns green heals it. It says nothing while a promotion is
// being verified, and nothing of what was rolled back from.
func (c *core) judgeHealth(p *Pipeline, stage *Stage) {
	st := c.state.stageOf(p.Name, stage.Name)
	if st.Current == nil || st.Current.Undone {
		return
	}
	if pr := c.started(p.Name, stage.Name); pr != nil && pr.Verify != nil {
		return
	}
	if stage.Verify == nil || st.Current.Commit == "" {
		if stage.Verify == nil && st.Health.Bad {
			c.stage(p.Name, stage.Name).Health = Health{}
		}
		c.counts(p.Name, stage.Name)
		return
	}
	c.judgeCurrent(p, stage, st)
}

func (c *core) judgeCurrent(p *Pipeline, stage *Stage, st *StageState) {
	v := c.judgeChecks(stage.Verify.Checks, c.branchOf(stage), st.Current.Commit)
	ignored := stage.Verify.OnFailure == OnFailureIgnore
	switch {
	case ignored:
		c.counts(p.Name, stage.Name)
	case v.isRed() || v.late:
		if st.Health.Bad {
			return
		}
		own := c.stage(p.Name, stage.Name)
		own.Health = Health{Bad: true, Why: "not green: " + strings.Join(append(v.red, v.lateNames...), ", "), Since: c.now}
		delete(own.Verified, st.Current.Freight)
	case v.isGreen():
		if st.Health.Bad {
			c.stage(p.Name, stage.Name).Health = Health{}
		}
		c.counts(p.Name, stage.Name)
	}
}

// counts lets what the stage holds count as verified there, if every stage
// before it is at it or past it, and healthy (afterMode any: one of them). If
// not, it is looked at again when that changes.
func (c *core) counts(pipeline, name string) {
	st := c.state.stageOf(pipeline, name)
	if st.Current == nil || st.Health.Bad {
		return
	}
	if _, ok := st.Verified[st.Current.Freight]; ok {
		return
	}
	stage := c.state.Local.Config[pipeline].Stage(name)
	if stage != nil && !c.behindIt(pipeline, stage, st.Current.Freight) {
		return
	}
	c.stage(pipeline, name).Verified[st.Current.Freight] = c.now
}

// behindIt reports whether the stages before this one are at the freight or past
// it, and healthy.
func (c *core) behindIt(pipeline string, stage *Stage, freight string) bool {
	good := 0
	for _, before := range stage.After {
		st := c.state.stageOf(pipeline, before)
		if st.Current == nil {
			continue
		}
		_, verified := st.Verified[st.Current.Freight] // one that is being verified is not known to be healthy
		if verified && !st.Health.Bad && c.number(pipeline, st.Current.Freight) >= c.number(pipeline, freight) {
			good++
		}
	}
	return good == len(stage.After) || stage.AfterMode == AfterAny && good > 0
}
