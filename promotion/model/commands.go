package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// never is when a mark ends that somebody has to lift.
var never = start.AddDate(10, 0, 0)

// judgedCommand is a command that was carried out or refused.
type judgedCommand struct {
	by, name, stage string
	args            []string
	verdict         promotion.Verdict
}

// arrives notes whether a comment stands where commands are listened to: the pull
// request of a promotion is one from when the app knows its number.
func (r *rules) arrives(e promotion.Commented) {
	if len(r.state.Local.Config)+len(r.state.Pipelines) == 0 {
		return // nobody promotes anything here, as far as is known
	}
	for _, c := range r.hub.said {
		if c.id == e.Comment && (e.Number == issue || slices.ContainsFunc(r.pulls, func(p *pull) bool {
			known := r.state.Promotion(p.promotion)
			return p.number == e.Number && known != nil && known.PullRequest != nil && known.PullRequest.Number == e.Number
		})) {
			c.listened = true
		}
	}
}

// comments looks at the commands that got their verdict just now: it must be no
// exactly for those who may not, and what they ask for is what people have set.
func (r *rules) comments(now *promotion.State) {
	r.took = r.took[:0]
	for _, c := range now.Comments {
		if c.Done && r.judged[judgedKey{c.Comment, c.Cause, c.Commands[0].Line}] {
			continue
		}
		for _, k := range c.Commands {
			key := judgedKey{c.Comment, c.Cause, k.Line}
			if k.Verdict == "" || r.judged[key] {
				continue
			}
			r.judged[key] = true
			r.carried(c, k, r.argsOf(c, k))
		}
	}
}

// argsOf are a command's words: the state forgets them when all is answered.
func (r *rules) argsOf(c *promotion.CommentState, k promotion.CommandState) []string {
	for _, s := range r.hub.said {
		if s.id == c.Comment && c.Comment != 0 {
			return s.cmds[slices.IndexFunc(s.cmds, func(x promotion.Command) bool { return x.Line == k.Line })].Args
		}
	}
	on := r.pressed[c.Cause].Promotion
	if p := r.known[on]; c.Review == 0 && p != nil && k.Name == "promote" {
		if next := r.byHandAfter(p.Stage); k.Line <= len(next) {
			return []string{next[k.Line-1], p.Freight}
		}
	}
	return []string{on}
}

// byHandAfter are the manual stages right behind a stage, in their order.
func (r *rules) byHandAfter(stage string) []string {
	var out []string
	for _, st := range r.toldStages() {
		if !st.Auto && slices.Contains(st.After, stage) {
			out = append(out, st.Name)
		}
	}
	return out
}

func (r *rules) carried(c *promotion.CommentState, k promotion.CommandState, args []string) {
	cmd := judgedCommand{by: c.By, name: k.Name, args: args, verdict: k.Verdict}
	number := c.Number
	if len(args) > 0 {
		cmd.stage = args[0]
	}
	p := r.known[cmd.stage]
	if cmd.stage == "" {
		p = r.known[r.promotionOf(number)]
	}
	switch {
	case p != nil && p.Pipeline == besideName:
		return
	case p != nil: // whatever stages the config has by now
		cmd.stage = p.Stage
	default:
		if cmd.stage = r.meantStage(cmd.stage); r.isBeside(cmd.stage) {
			return
		}
	}
	r.took = append(r.took, cmd)
	r.permitted(cmd)
	if k.Verdict != promotion.VerdictDone && k.Verdict != promotion.VerdictStarted {
		return
	}
	if k.Name == "approve" {
		r.approved(c, cmd, number)
	}
	r.mark(cmd, c.At, fmt.Sprint(c.Comment))
}

// mark takes what a command sets that was carried out, until somebody lifts it.
func (r *rules) mark(cmd judgedCommand, at time.Time, cause string) {
	switch cmd.name {
	case "freeze":
		until := never
		if len(cmd.args) > 2 && cmd.args[1] == "--for" {
			until = at.Add(time.Hour + time.Second - 1).Truncate(time.Second) // what people read shall not end before it says
		}
		r.frozen = set(r.frozen, cmd.stage, until)
		r.time()
	case "unfreeze":
		r.unfrozen(cmd.stage)
	case "block":
		for f := range r.order {
			if r.names(cmd.args[0], f) {
				r.blocked, r.once = set(r.blocked, f, true), set(r.once, f, true)
			}
		}
	case "unblock":
		for f := range r.blocked {
			if r.names(cmd.args[0], f) {
				r.blocked = unset(r.blocked, f)
			}
		}
	case "promote", "resume":
		if cmd.name == "resume" || cmd.verdict == promotion.VerdictStarted {
			r.paused = unset(r.paused, cmd.stage)
		}
	case "rollback":
		if cmd.verdict == promotion.VerdictStarted {
			r.paused = set(r.paused, cmd.stage, cause)
		}
	}
}

func (r *rules) unfrozen(stage string) {
	if stage == "all" {
		r.frozen = nil
		return
	}
	r.frozen = unset(r.frozen, stage)
}

// names reports whether a word names freight: here always the start of a commit.
func (r *rules) names(word, freight string) bool {
	for _, c := range r.lines["main"] {
		if strings.HasPrefix(c.sha, word) && freightOf(c.sha) == freight {
			return true
		}
	}
	return false
}

func (r *rules) approved(c *promotion.CommentState, cmd judgedCommand, number int) {
	y := yes{by: c.By, at: c.At, stage: cmd.stage, promotion: r.promotionOf(number), heads: map[int]string{}, review: c.Review}
	if len(cmd.args) > 0 && r.known[cmd.args[0]] != nil {
		y.promotion = cmd.args[0]
	}
	for _, s := range r.hub.said {
		if s.id == c.Comment && c.Comment != 0 {
			y.heads = s.heads
		}
	}
	for _, p := range r.pulls {
		switch {
		case c.Review != 0 && slices.ContainsFunc(p.reviews, func(v *review) bool { return v.id == c.Review }):
			y.promotion, y.stage = p.promotion, p.stage
			y.heads[p.number] = c.Head
		case c.Comment == 0 && c.Review == 0 && p.promotion == r.pressed[c.Cause].Promotion: // a button
			y.heads[p.number] = r.pressed[c.Cause].SHA
		}
	}
	if st := r.config.Stage(y.stage); st != nil {
		y.may = r.mayApprove(st, y.by, r.reads[y.by])
	}
	r.yes = append(r.yes, y)
}

// permitted holds the verdict against who may (promise 18).
func (r *rules) permitted(cmd judgedCommand) {
	read, ok := r.reads[cmd.by]
	if !ok || cmd.verdict == promotion.VerdictWrong {
		return
	}
	denied := cmd.verdict == promotion.VerdictDenied
	switch cmd.name {
	case "promote", "abort", "retry", "rollback", "resume":
		if st := r.config.Stage(cmd.stage); st != nil && r.mayPromote(st, read) == denied {
			r.fail("promise 18: /%s %s of %s got %s", cmd.name, cmd.stage, cmd.by, cmd.verdict)
		}
	case "approve", "reject":
		if st := r.config.Stage(cmd.stage); st != nil && !denied && r.answerable(cmd) && !r.mayApprove(st, cmd.by, read) {
			r.fail("promise 18: /%s %s of %s got %s", cmd.name, cmd.stage, cmd.by, cmd.verdict)
		}
	case "block", "unblock":
		if (read.Permission == "write") == denied {
			r.fail("promise 18: /%s of %s got %s", cmd.name, cmd.by, cmd.verdict)
		}
	case "freeze", "unfreeze":
		may := read.Permission == "write" || read.Permission == "read" && len(r.toldStages()) > 0
		for _, st := range r.toldStages() {
			if cmd.stage == "all" || cmd.stage == st.Name {
				may = may && r.mayPromote(&st, read)
			}
		}
		if may == denied {
			r.fail("promise 18: /%s %s of %s got %s", cmd.name, cmd.stage, cmd.by, cmd.verdict)
		}
	}
}

// answerable reports whether what a command answers was live before it: who says
// something of what has ended is told so, whoever it is.
func (r *rules) answerable(cmd judgedCommand) bool {
	if len(cmd.args) == 0 {
		return false
	}
	if p := r.known[cmd.args[0]]; p != nil {
		return !p.Phase.Terminal() && p.Landed == ""
	}
	for _, p := range r.known {
		if p.Stage == cmd.stage && !p.Phase.Terminal() && p.Landed == "" && !p.CreatedAt.After(r.now.Add(-time.Hour)) {
			return true
		}
	}
	return false
}

func (r *rules) toldStages() []promotion.Stage {
	if r.config == nil {
		return nil
	}
	return r.config.Stages
}

// mayPromote says who may promote: whom `allow` names, else whoever may write.
func (r *rules) mayPromote(st *promotion.Stage, read promotion.Result) bool {
	if read.Permission == "none" {
		return false
	}
	if st.Allow != nil {
		return slices.Contains(read.Teams, "sre")
	}
	return read.Permission == "write"
}

// mayApprove says who may approve: whom `approvals` names, else who may promote.
func (r *rules) mayApprove(st *promotion.Stage, by string, read promotion.Result) bool {
	if a := st.Gates.Approvals; a != nil && len(a.Users) > 0 {
		return by == "hubot" || slices.Contains(read.Teams, "sre")
	}
	return st.Gates.Approvals == nil || r.mayPromote(st, read)
}
