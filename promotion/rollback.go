package promotion

import (
	"slices"
	"strings"
	"time"
)

// landingMemory is how many landings before the current one a stage remembers.
const landingMemory = 5

// rollback brings back what a stage held before, ahead of its queue.
func (c *core) rollback(s *CommentState, cmd Command, r Result) (Verdict, string) {
	if len(cmd.Args) == 0 || strings.HasPrefix(cmd.Args[0], "-") {
		return VerdictWrong, sentence("Say which stage: `/rollback STAGE [FREIGHT]`. Stages: %s.", strings.Join(c.stageNames(), ", "))
	}
	p, stage, wrong := c.findStage(cmd.Args[0])
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if denied := c.denied(s, cmd, r, []staged{{p, stage}}); denied != "" {
		return VerdictDenied, denied
	}
	if broken := c.brokenConfig(p.Name); broken != "" {
		return VerdictWrong, broken
	}
	f, wrong, asked := c.rollbackTarget(p, stage, cmd.Args[1:])
	if asked {
		return "", "" // it is judged when the sources have answered
	}
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if st := c.state.stageOf(p.Name, stage.Name); st.Current != nil && st.Current.Freight == f.ID && !st.Current.Undone {
		return VerdictDone, sentence("%s holds %s already.", StageRef(p.Name, stage.Name), f.named())
	}
	if other := c.alreadyUnderWay(p, stage, f); other != nil && other.Priority == PriorityRollback {
		return VerdictDone, sentence("%s is on its way back to %s already: `%s` (%s).", f.named(), StageRef(p.Name, stage.Name), other.Name, other.Phase)
	}
	created := s.created(cmd)
	pr := c.rollBack(p, stage, f, &Promotion{
		Name: NewName(stage.Name, created, s.cause(cmd), f.ID), RequestedBy: s.By, Cause: s.cause(cmd), CreatedAt: created, Look: s.Look,
	}, &Mark{By: s.By, At: s.At, Reason: "rolled back to " + f.Title()})
	if other := c.started(p.Name, stage.Name); other != nil && other.Name != pr.Name {
		return VerdictStarted, sentence("%s goes to %s as soon as `%s` has ended. `/abort %s` ends that now.", f.named(), StageRef(p.Name, stage.Name), other.Name, StageRef(p.Name, stage.Name))
	}
	return VerdictStarted, ""
}

// created is when a command's promotion counts as made: several lines of one
// comment a millisecond apart, in their order.
func (s *CommentState) created(cmd Command) time.Time {
	return s.At.Truncate(time.Millisecond).Add(time.Duration(cmd.Line-1) * time.Millisecond)
}

// rollbackTarget is what was verified in the stage before, or what a person names.
// asked means that the sources are asked for it.
func (c *core) rollbackTarget(p *Pipeline, stage *Stage, words []string) (f *Freight, wrong string, asked bool) {
	if len(words) > 0 {
		f, wrong, asked = c.freightFor(p, stage, words[0], 0, PriorityRollback)
	} else if f = c.verifiedBefore(p.Name, stage.Name); f == nil {
		ref := StageRef(p.Name, stage.Name)
		wrong = sentence("There is nothing to go back to in %s: no other freight was verified there. `/rollback %s FREIGHT` names one.", ref, ref)
	}
	if f == nil {
		return nil, wrong, asked
	}
	if mark := c.state.Pipelines[p.Name].Blocked[f.ID]; mark != nil {
		return nil, sentence("%s is blocked%s. `/unblock %s` lifts that.", f.named(), plain(mark.told()), f.Alias()), false
	}
	return f, "", false
}

// verifiedBefore is the last freight before the current one that is verified in
// the stage, or nil.
func (c *core) verifiedBefore(pipeline, stage string) *Freight {
	st := c.state.stageOf(pipeline, stage)
	for _, l := range slices.Backward(st.Before) {
		_, verified := st.Verified[l.Freight]
		blocked := c.state.Pipelines[pipeline].Blocked[l.Freight] != nil
		if f := c.state.FreightByID(pipeline, l.Freight); f != nil && verified && !blocked && l.Freight != st.Current.Freight {
			return f
		}
	}
	return nil
}

// rollBack queues the way back. What is rolled back from is no longer verified,
// nothing promotes itself there until somebody says so, and what waited to is dropped.
func (c *core) rollBack(p *Pipeline, stage *Stage, f *Freight, pr *Promotion, mark *Mark) *Promotion {
	st := c.stage(p.Name, stage.Name)
	if st.Current != nil && st.Current.Freight != f.ID {
		undone := *st.Current
		undone.Undone = true
		st.Current = &undone
		delete(st.Verified, undone.Freight)
		st.Health = Health{Bad: true, Why: mark.Reason, Since: c.now}
	}
	st.Paused = mark
	for _, o := range slices.Clone(c.state.Pipelines[p.Name].Promotions) {
		switch {
		case o.Stage != stage.Name:
		case o.Phase == PhaseQueued && o.Automatic:
			c.finish(c.own(o), PhaseSuperseded, sentence("Superseded by %s: %s is rolled back.", pr.Name, stage.Name))
		case o.Verify != nil && o.Freight != f.ID:
			o = c.own(o)
			o.Verify = nil
			c.finish(o, PhaseFailed, "Rolled back"+byWhom(mark.By)+" before it was verified")
		}
	}
	pr.Pipeline, pr.Stage, pr.Freight, pr.Phase, pr.Priority = p.Name, stage.Name, f.ID, PhaseQueued, PriorityRollback
	if pr.Reason == "" {
		pr.Reason = "rollback"
	}
	return c.add(pr)
}

func byWhom(login string) string {
	if login == "" {
		return ""
	}
	return " by " + login
}

// started is the promotion that holds the stage, or nil.
func (c *core) started(pipeline, stage string) *Promotion {
	for _, o := range c.state.Pipelines[pipeline].Promotions {
		if o.Stage == stage && o.Phase.Started() {
			return o
		}
	}
	return nil
}

// resume lets a stage promote by itself again.
func (c *core) resume(s *CommentState, cmd Command, r Result) (Verdict, string) {
	if len(cmd.Args) == 0 {
		return VerdictWrong, sentence("Say which stage: `/resume STAGE`. Stages: %s.", strings.Join(c.stageNames(), ", "))
	}
	p, stage, wrong := c.findStage(cmd.Args[0])
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if denied := c.denied(s, cmd, r, []staged{{p, stage}}); denied != "" {
		return VerdictDenied, denied
	}
	if c.state.stageOf(p.Name, stage.Name).Paused == nil {
		return VerdictDone, sentence("%s is not paused.", StageRef(p.Name, stage.Name))
	}
	c.stage(p.Name, stage.Name).Paused = nil
	return VerdictDone, ""
}
