package promotion

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// approvalGate asks whether enough people agreed to what stands there now.
func (c *core) approvalGate(r request) []Gate {
	a := r.stage.Gates.Approvals
	if a == nil {
		return nil
	}
	need := cmp.Or(a.Count, 1)
	var by []string
	if r.pr != nil {
		for _, yes := range r.pr.Approvals {
			if yes.Head == r.pr.content() && a.accepts(yes, r.pr) && !slices.Contains(by, yes.By) {
				by = append(by, yes.By)
			}
		}
	}
	names := ""
	if len(by) > 0 {
		names = " (" + strings.Join(by, ", ") + " approved)"
	}
	if len(by) >= need {
		return []Gate{{Name: GateApprovals, Status: GateOpen, Text: sentence("Approved by %s", strings.Join(by, ", "))}}
	}
	return []Gate{{
		Name: GateApprovals, Status: GatePending, Person: true,
		Text: sentence("Waiting for %d of %d %s%s", need-len(by), need, plural(need, "approval"), names),
	}}
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// content is what people approve: the head of the pull request, or the
// promotion itself while there is none.
func (p *Promotion) content() string {
	if p.PullRequest == nil {
		return ""
	}
	return p.PullRequest.Head
}

// accepts reports whether a yes counts by the config of now.
func (a *Approvals) accepts(yes Approval, p *Promotion) bool {
	if a.ExcludeRequester && p.involves(yes.By) {
		return false
	}
	return a.names(yes.By, yes.Teams)
}

// names reports whether somebody is among those who may approve. Where nobody is
// named, everybody counts who might promote when they agreed.
func (a *Approvals) names(login string, teams []string) bool {
	if len(a.Users) == 0 && len(a.Teams) == 0 {
		return true
	}
	return named(a.Users, login) || intersects(a.Teams, teams)
}

func named(logins []string, login string) bool {
	return slices.ContainsFunc(logins, func(u string) bool { return strings.EqualFold(u, login) })
}

func intersects(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return named(b, x) })
}

// involves reports whether somebody asked for the promotion or pushed to it.
func (p *Promotion) involves(login string) bool {
	if strings.EqualFold(p.RequestedBy, login) {
		return true
	}
	return p.PullRequest != nil && named(p.PullRequest.Pushers, login)
}

// approve takes somebody's yes.
func (c *core) approve(s *CommentState, cmd Command, r Result) (Verdict, string) {
	p, wrong := c.findPromotion(s, cmd, c.asksApproval)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if p.Phase.Terminal() || p.Landed != "" {
		return VerdictDone, sentence("`%s` has ended already (%s).", p.Name, p.Phase)
	}
	stage := c.state.Local.Config[p.Pipeline].Stage(p.Stage)
	if stage == nil || stage.Gates.Approvals == nil {
		return VerdictDone, sentence("%s asks for no approvals.", StageRef(p.Pipeline, p.Stage))
	}
	if denied := c.mayNotAnswer(stage, p, s, cmd, r); denied != "" {
		return VerdictDenied, denied
	}
	yes := Approval{By: s.By, At: s.At, Head: p.content(), Review: s.Review, Teams: r.Teams}
	switch pull := p.PullRequest; {
	case s.Review != 0:
		yes.Head = s.Head
	case pull != nil && !p.openedAt().Before(s.At.Add(time.Second)):
		return VerdictWrong, sentence("#%d was not open yet when this was written. Look at it, and comment `/approve` once more.", pull.Number)
	case pull != nil && !pull.HeadAt.IsZero() && !s.At.After(pull.HeadAt):
		return VerdictWrong, sentence("Somebody pushed to #%d after this was written. Look at it again, and comment `/approve` once more.", pull.Number)
	}
	c.addApproval(p, yes)
	return VerdictDone, ""
}

// openedAt is when the pull request was opened, or began to be; not later than that.
// GitHub's times of comments are whole seconds.
func (p *Promotion) openedAt() time.Time {
	if p.Plan == nil {
		return p.StartedAt
	}
	for i := range p.Steps {
		if since := p.Steps[i].Since; p.Plan.Steps[i].Uses == "git-open-pr" && since.After(p.StartedAt) {
			return since
		}
	}
	return p.StartedAt
}

// asksApproval reports whether a promotion waits for somebody's yes.
func (c *core) asksApproval(p *Promotion) bool {
	stage := c.state.Local.Config[p.Pipeline].Stage(p.Stage)
	return !p.Phase.Terminal() && p.Landed == "" && stage != nil && stage.Gates.Approvals != nil
}

func (c *core) addApproval(p *Promotion, yes Approval) {
	if slices.Contains(p.Dismissed, yes.Review) && yes.Review != 0 {
		return
	}
	if slices.ContainsFunc(p.Approvals, func(o Approval) bool {
		return strings.EqualFold(o.By, yes.By) && o.Head == yes.Head && o.Review == yes.Review
	}) {
		return
	}
	p = c.own(p)
	p.Approvals = append(p.Approvals, yes)
	c.touchOf(p)
}

// mayNotAnswer says why somebody may not answer the stage's approval gate, or "".
func (c *core) mayNotAnswer(stage *Stage, p *Promotion, s *CommentState, cmd Command, r Result) string {
	a := stage.Gates.Approvals
	if a == nil {
		a = &Approvals{}
	}
	if a.ExcludeRequester && p.involves(s.By) {
		return sentence("%s may not `/%s` this: who asked for it or pushed to it does not count here. It takes %s.", at(s.By), cmd.Name, a.whom(stage))
	}
	nobodyNamed := len(a.Users) == 0 && len(a.Teams) == 0
	if nobodyNamed && stage.allows(s.By, r) || !nobodyNamed && a.names(s.By, r.Teams) {
		return ""
	}
	return sentence("%s may not `/%s` for %s: that takes %s (you have %s).%s", at(s.By), cmd.Name, StageRef(p.Pipeline, p.Stage), a.whom(stage), role(r), unread(r))
}

// whom says who may approve.
func (a *Approvals) whom(stage *Stage) string {
	if len(a.Users) == 0 && len(a.Teams) == 0 {
		return stage.whom()
	}
	return people(a.Teams, a.Users)
}

// reject takes somebody's no: the promotion ends.
func (c *core) reject(s *CommentState, cmd Command, r Result) (Verdict, string) {
	fits := func(p *Promotion) bool { return !p.Phase.Terminal() && p.Landed == "" }
	p, rest, wrong := c.findWithReason(s, cmd, fits)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if !fits(p) {
		return VerdictDone, sentence("`%s` has ended already (%s).", p.Name, p.Phase)
	}
	if stage := c.state.Local.Config[p.Pipeline].Stage(p.Stage); stage != nil {
		if denied := c.mayNotAnswer(stage, p, s, cmd, r); denied != "" {
			return VerdictDenied, denied
		}
	}
	why := "Rejected by " + s.By
	if rest != "" {
		why += ": " + rest
	}
	c.stop(c.own(p), PhaseRejected, why)
	return VerdictDone, ""
}

// takeReview takes a review of a promotion's pull request. An approving one is
// an /approve of the commit that was looked at; asking for changes takes back
// what the same person said before.
func (c *core) takeReview(e Reviewed, ev Event) {
	p := c.byPullRequest(e.Number)
	if _, _, name, ours := ParseBranch(e.HeadBranch); p == nil && ours && e.SameRepo {
		p = c.promotion(name)
	}
	if p == nil && ours(e) && c.keepEarly(Early{At: ev.At, Cause: ev.Cause, Review: &e}) {
		return
	}
	if p == nil || p.Phase.Terminal() {
		return
	}
	switch e.State {
	case "approved":
		c.reviewed(p, e, ev)
	case "dismissed":
		c.takeBack(p, e.Review, func(a Approval) bool { return a.Review == e.Review })
	case "changes_requested":
		c.takeBack(p, 0, func(a Approval) bool { return strings.EqualFold(a.By, e.By) && !a.At.After(c.when(ev.At)) })
	}
	if p.PullRequest != nil && c.mergesItself(p) {
		c.own(p).PullRequest.Stale = true
		c.touchOf(p)
	}
}

// ours reports whether a review is of a promotion's pull request, whoever knows of it.
func ours(e Reviewed) bool {
	_, _, _, ok := ParseBranch(e.HeadBranch)
	return ok && e.SameRepo
}

// reviewed has an approving review judged as a command is.
func (c *core) reviewed(p *Promotion, e Reviewed, ev Event) {
	if !c.asksApproval(p) || slices.Contains(p.Dismissed, e.Review) {
		return
	}
	known := func(s *CommentState) bool { return s.Review == e.Review && s.Head == e.SHA }
	if slices.ContainsFunc(c.state.Comments, known) {
		return
	}
	stage := c.state.Local.Config[p.Pipeline].Stage(p.Stage)
	if e.ByBot && !named(stage.Gates.Approvals.Users, strings.TrimSuffix(e.By, "[bot]")) && !named(stage.Gates.Approvals.Users, e.By) {
		return
	}
	c.state.Comments = append(c.state.Comments, &CommentState{
		Cause: ev.Cause, By: e.By, At: c.when(ev.At), Review: e.Review, Head: e.SHA,
		Commands: []CommandState{{Command: Command{Line: 1, Name: "approve", Args: []string{p.Name}}}},
	})
}

// takeBack removes approvals, also those that are still to come.
func (c *core) takeBack(p *Promotion, dismissed int64, which func(Approval) bool) {
	p = c.own(p)
	if dismissed != 0 && !slices.Contains(p.Dismissed, dismissed) {
		p.Dismissed = append(slices.Clone(p.Dismissed), dismissed)
	}
	p.Approvals = slices.DeleteFunc(p.Approvals, which)
	c.touchOf(p)
}
