package promotion

import (
	"strings"
	"time"
)

// Commands are the commands that this version carries out, in the order of the
// help text. Usage is what stands behind the name.
var Commands = []struct{ Name, Usage, Does string }{
	{"promote", "STAGE [FREIGHT] [--now] [--reason TEXT]", "promote FREIGHT (default: the newest that may go there) to STAGE"},
	{"abort", "[PROMOTION]", "end a promotion (a stage names its current one)"},
	{"retry", "[PROMOTION]", "go on with the stage's last failed or errored one, from the step that failed"},
	{"status", "", "show where everything is"},
	{"help", "", "show this"},
}

// carryOut does what one command says, and answers it.
func (c *core) carryOut(s *CommentState, cmd Command, r Result) (Verdict, string) {
	if c.stranger(r) {
		return VerdictDenied, ""
	}
	if cmd.Near != "" {
		return VerdictWrong, sentence("`/%s` is not a command. Did you mean `/%s`? `/help` lists them.", plain(cmd.Name), cmd.Near)
	}
	switch cmd.Name {
	case "help":
		return VerdictDone, c.helpText()
	case "status":
		return VerdictDone, c.statusText()
	}
	if r.Permission != "write" && r.Permission != "admin" {
		return VerdictDenied, sentence("%s may not `/%s` here: that takes write access to this repository (you have %s). Ask somebody who has it to comment `%s`.",
			at(s.By), cmd.Name, role(r), "/"+strings.Join(append([]string{cmd.Name}, plainAll(cmd.Args)...), " "))
	}
	switch cmd.Name {
	case "promote":
		return c.promote(s, cmd)
	case "abort":
		return c.abort(s, cmd)
	case "retry":
		return c.retry(s, cmd)
	}
	return VerdictWrong, sentence("`/%s` is not built yet in this version. `/help` lists what is.", plain(cmd.Name))
}

// stranger reports whether somebody has no more than everybody has on a public
// repository: such a person gets a reaction alone.
func (c *core) stranger(r Result) bool {
	if r.Permission == "none" || r.Permission == "" {
		return true
	}
	return r.Permission == "read" && !c.state.Repo.Private && (r.Role == "" || r.Role == "read")
}

func role(r Result) string {
	if r.Role != "" {
		return plain(r.Role)
	}
	return r.Permission
}

// promote queues freight for a stage.
func (c *core) promote(s *CommentState, cmd Command) (Verdict, string) {
	args, wrong := parsePromote(cmd.Args)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if args.stage == "" {
		if p := c.byPullRequest(s.Number); p != nil {
			args.stage = StageRef(p.Pipeline, p.Stage)
		}
	}
	p, stage, wrong := c.findStage(args.stage)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if broken := c.state.Pipelines[p.Name]; broken != nil && len(broken.Broken) > 0 {
		return VerdictWrong, sentence("The config of this pipeline cannot be read: %s. Mend `%s` first.", broken.Broken[0].Text, broken.Broken[0].File)
	}
	f, wrong := c.findFreight(p, stage, args.freight, s.Number)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if other := c.alreadyUnderWay(p, stage, f); other != nil {
		return VerdictDone, sentence("%s is on its way to %s already: `%s` (%s).", f.Title(), StageRef(p.Name, stage.Name), other.Name, other.Phase)
	}
	created := s.At.Truncate(time.Millisecond).Add(time.Duration(cmd.Line-1) * time.Millisecond)
	cause := s.cause(cmd)
	pr := &Promotion{
		Name: NewName(stage.Name, created, cause, f.ID), Pipeline: p.Name, Stage: stage.Name, Freight: f.ID, Phase: PhaseQueued,
		RequestedBy: s.By, Reason: args.reason, Cause: cause, CreatedAt: created,
	}
	if args.now {
		pr.Priority = PriorityNow
	}
	if !c.eligible(p, stage, f.ID) {
		c.add(pr)
		return VerdictStarted, sentence("%s is queued for %s: %s.", f.Title(), StageRef(p.Name, stage.Name), c.lacking(p, stage, f.ID))
	}
	c.add(pr)
	return VerdictStarted, ""
}

// cause identifies a command: its comment and line, or the delivery of a button.
func (s *CommentState) cause(cmd Command) string {
	if s.Comment != 0 {
		return sentence("comment/%d/%d", s.Comment, cmd.Line)
	}
	return sentence("button/%s/%d", s.Cause, cmd.Line)
}

func (c *core) alreadyUnderWay(p *Pipeline, stage *Stage, f *Freight) *Promotion {
	for _, o := range c.state.Pipelines[p.Name].Promotions {
		if o.Stage == stage.Name && o.Freight == f.ID && !o.Phase.Terminal() {
			return o
		}
	}
	return nil
}

// lacking says which stages have not verified the freight.
func (c *core) lacking(p *Pipeline, stage *Stage, freight string) string {
	var open []string
	for _, before := range stage.After {
		st := c.state.Pipelines[p.Name].Stages[before]
		if st == nil {
			open = append(open, before)
		} else if _, ok := st.Verified[freight]; !ok {
			open = append(open, before)
		}
	}
	return "not yet verified in " + strings.Join(open, ", ")
}

type promoteArgs struct {
	stage, freight, reason string
	now                    bool
}

func parsePromote(words []string) (a promoteArgs, wrong string) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--now":
			a.now = true
		case w == "--reason":
			a.reason = strings.Join(words[i+1:], " ")
			i = len(words)
		case strings.HasPrefix(w, "--reason="):
			a.reason = strings.Join(append([]string{strings.TrimPrefix(w, "--reason=")}, words[i+1:]...), " ")
			i = len(words)
		case strings.HasPrefix(w, "--"):
			return a, sentence("`/promote` has no option `%s`. It has `--now` and `--reason TEXT`.", plain(w))
		case a.stage == "":
			a.stage = w
		case a.freight == "":
			a.freight = w
		default:
			return a, "Too many words. Write `/promote STAGE [FREIGHT] [--now] [--reason TEXT]`."
		}
	}
	if a.now && strings.TrimSpace(a.reason) == "" {
		return a, "`--now` goes past waiting times and needs a reason: `/promote STAGE --now --reason TEXT`."
	}
	return a, ""
}

// abort ends a promotion.
func (c *core) abort(s *CommentState, cmd Command) (Verdict, string) {
	p, wrong := c.findPromotion(s, cmd, func(p *Promotion) bool { return !p.Phase.Terminal() })
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if p.Phase.Terminal() {
		return VerdictDone, sentence("`%s` has ended already (%s).", p.Name, p.Phase)
	}
	c.stop(c.own(p), PhaseAborted, sentence("Aborted by %s", s.By))
	return VerdictDone, ""
}

// retry lets a failed or errored promotion go on from the step that failed, in
// its old place.
func (c *core) retry(s *CommentState, cmd Command) (Verdict, string) {
	again := func(p *Promotion) bool { return p.Phase == PhaseFailed || p.Phase == PhaseErrored }
	p, wrong := c.findPromotion(s, cmd, again)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if !again(p) {
		return VerdictDone, sentence("`%s` is %s: only a failed or errored promotion is retried.", p.Name, p.Phase)
	}
	p = c.own(p)
	p.Phase, p.Message, p.EndedAt, p.StartedAt = PhaseQueued, "", time.Time{}, time.Time{}
	if p.PullRequest != nil { // it is closed, and its branch goes: see tidy
		p.Plan, p.Steps = nil, nil
	}
	for i := range p.Steps {
		if p.Steps[i].Phase != StepSucceeded {
			p.Steps[i] = StepState{}
		}
	}
	p.Look = true
	c.touch(p.Pipeline)
	return VerdictStarted, ""
}
