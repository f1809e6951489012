package promotion

import (
	"strings"
	"time"
)

// Commands are the commands that this version carries out, in the order of the
// help text. Usage is what stands behind the name.
var Commands = []struct{ Name, Usage, Does string }{
	{"promote", "STAGE [FREIGHT] [--now] [--reason TEXT]", "promote FREIGHT (default: the newest that may go there) to STAGE"},
	{"approve", "[STAGE]", "say yes to a promotion that waits for approvals; an approving review does too"},
	{"reject", "[STAGE] [REASON]", "say no: it ends"},
	{"abort", "[PROMOTION]", "end a promotion (a stage names its current one)"},
	{"retry", "[PROMOTION]", "go on with the stage's last failed or errored one, from the step that failed; or put its values over what people changed, where its pull request conflicts"},
	{"freeze", "STAGE|all [--for 4h] [REASON]", "stop new promotions and merges there; what is asked for meanwhile queues"},
	{"unfreeze", "STAGE|all", "lift a freeze"},
	{"rollback", "STAGE [FREIGHT]", "bring back what was verified there before (or FREIGHT), ahead of the queue; it promotes nothing by itself until `/resume` or `/promote`"},
	{"resume", "STAGE", "let it promote by itself again"},
	{"block", "FREIGHT [REASON]", "nobody promotes that freight any more"},
	{"unblock", "FREIGHT", "lift a block; nothing starts by it"},
	{"plan", "STAGE [FREIGHT]", "show what a promotion would change, as a diff, and what would hold it up; nothing is changed"},
	{"status", "", "show where everything is"},
	{"help", "", "show this"},
}

// carryOut does what one command says, and answers it.
func (c *core) carryOut(s *CommentState, cmd Command, r Result) (Verdict, string) {
	if c.stranger(r) && r.TeamsUnread == "" && !c.isNamed(s, cmd, r) {
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
	if carry, ok := c.carriers()[cmd.Name]; ok {
		return carry(s, cmd, r)
	}
	return VerdictWrong, sentence("`/%s` is not a command. `/help` lists them.", plain(cmd.Name))
}

// carriers carry out what changes something; each judges who may.
func (c *core) carriers() map[string]func(*CommentState, Command, Result) (Verdict, string) {
	return map[string]func(*CommentState, Command, Result) (Verdict, string){
		"promote": c.promote, "approve": c.approve, "reject": c.reject, "abort": c.abort, "retry": c.retry,
		"freeze": c.freeze, "unfreeze": c.unfreeze, "rollback": c.rollback, "resume": c.resume,
		"block": c.block, "unblock": c.unblockFreight, "plan": c.plan,
	}
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
func (c *core) promote(s *CommentState, cmd Command, r Result) (Verdict, string) {
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
	if denied := c.denied(s, cmd, r, []staged{{p, stage}}); denied != "" {
		return VerdictDenied, denied
	}
	if broken := c.brokenConfig(p.Name); broken != "" {
		return VerdictWrong, broken
	}
	priority := PriorityNormal
	if args.now {
		priority = PriorityNow
	}
	f, wrong, asked := c.freightFor(p, stage, args.freight, s.Number, priority)
	if asked {
		return "", "" // it is judged when the sources have answered
	}
	if f == nil {
		return VerdictWrong, wrong
	}
	if mark := c.state.Pipelines[p.Name].Blocked[f.ID]; mark != nil {
		return VerdictWrong, sentence("%s is blocked%s. `/unblock %s` lifts that.", f.named(), plain(mark.told()), f.Alias())
	}
	if other := c.alreadyUnderWay(p, stage, f); other != nil {
		return VerdictDone, sentence("%s is on its way to %s already: `%s` (%s).", f.named(), StageRef(p.Name, stage.Name), other.Name, other.Phase)
	}
	created, cause := s.created(cmd), s.cause(cmd)
	c.stage(p.Name, stage.Name).Paused = nil
	pr := c.add(&Promotion{
		Name: NewName(stage.Name, created, cause, f.ID), Pipeline: p.Name, Stage: stage.Name, Freight: f.ID, Phase: PhaseQueued,
		RequestedBy: s.By, Reason: args.reason, Cause: cause, CreatedAt: created, Priority: priority, Look: s.Look,
	})
	if gate := shut(c.startGates(request{p, stage, f.ID, pr})); gate != nil {
		return VerdictStarted, sentence("%s is queued for %s: %s.", f.named(), StageRef(p.Name, stage.Name), lowerFirst(plainText(gate.Text)))
	}
	return VerdictStarted, ""
}

// brokenConfig says that a pipeline's file cannot be read, or "".
func (c *core) brokenConfig(pipeline string) string {
	if ps := c.state.Pipelines[pipeline]; ps != nil && len(ps.Broken) > 0 {
		return sentence("The config of this pipeline cannot be read: %s. Mend `%s` first.", plainText(ps.Broken[0].Text), plain(ps.Broken[0].File))
	}
	return ""
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

// lacking says what keeps freight from being promoted to a stage.
func (c *core) lacking(r request) string {
	if gate := shut(c.eligibility(r)); gate != nil {
		return lowerFirst(plainText(gate.Text))
	}
	return "it is not known any more"
}

func lowerFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToLower(s[:1]) + s[1:]
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
func (c *core) abort(s *CommentState, cmd Command, r Result) (Verdict, string) {
	p, wrong := c.findPromotion(s, cmd, func(p *Promotion) bool { return !p.Phase.Terminal() })
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if denied := c.denied(s, cmd, r, c.stagedOf(p)); denied != "" {
		return VerdictDenied, denied
	}
	if p.Phase.Terminal() {
		return VerdictDone, sentence("`%s` has ended already (%s).", p.Name, p.Phase)
	}
	c.stop(c.own(p), PhaseAborted, sentence("Aborted by %s", s.By))
	return VerdictDone, ""
}

// retry lets a failed or errored promotion go on from the step that failed, in
// its old place.
func (c *core) retry(s *CommentState, cmd Command, r Result) (Verdict, string) {
	again := func(p *Promotion) bool { return p.Phase == PhaseFailed || p.Phase == PhaseErrored || clashes(p) }
	p, wrong := c.findPromotion(s, cmd, again)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if denied := c.denied(s, cmd, r, c.stagedOf(p)); denied != "" {
		return VerdictDenied, denied
	}
	if !again(p) {
		return VerdictDone, sentence("`%s` is %s: only a failed or errored promotion is retried.", p.Name, p.Phase)
	}
	if clashes(p) {
		return c.redoByHand(p)
	}
	if !p.LandedAt.IsZero() {
		return c.verifyAgain(p)
	}
	p = c.own(p)
	p.Phase, p.Message, p.EndedAt, p.StartedAt = PhaseQueued, "", time.Time{}, time.Time{}
	if p.PullRequest != nil && p.Landed == "" { // it is closed, and its branch goes: see tidy
		p.Plan, p.Steps = nil, nil
	}
	for i := range p.Steps {
		if p.Steps[i].Phase != StepSucceeded {
			p.Steps[i] = StepState{}
		}
	}
	p.Look, p.MergeTried, p.Raced = true, false, false
	p.Auto, p.AutoAt, p.AutoOff = false, time.Time{}, nil
	c.touchOf(p)
	return VerdictStarted, ""
}

// verifyAgain lets what landed be verified once more.
func (c *core) verifyAgain(p *Promotion) (Verdict, string) {
	ref := StageRef(p.Pipeline, p.Stage)
	st := c.state.stageOf(p.Pipeline, p.Stage)
	if st.Current == nil || st.Current.Promotion != p.Name || st.Current.Undone {
		return VerdictWrong, sentence("`%s` landed, and something else came to %s since. `/promote %s FREIGHT` brings it back.", p.Name, ref, ref)
	}
	if other := c.started(p.Pipeline, p.Stage); other != nil {
		return VerdictWrong, sentence("`%s` landed; it can be verified again when `%s` has ended.", p.Name, other.Name)
	}
	p = c.own(p)
	p.EndedAt = time.Time{}
	if !c.begins(p) {
		p.Phase = PhaseRunning
		c.verified(p, "Landed in "+Lasting(p.landedAfter()))
	}
	return VerdictStarted, ""
}
