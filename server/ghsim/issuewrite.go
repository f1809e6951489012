package ghsim

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// issueInput is the body of create and update; nil leaves a field alone.
type issueInput struct {
	Title       *string `json:"title"`
	Body        *string `json:"body"`
	State       *string `json:"state"`
	StateReason *string `json:"state_reason"`
	Labels      *[]any  `json:"labels"`
}

func createIssue(c *call) reply {
	var in issueInput
	switch {
	case c.repo.noIssues:
		return fail(http.StatusGone, "Issues has been disabled in this repository.")
	case !c.decode(&in):
		return badJSON()
	case in.Title == nil || strings.TrimSpace(*in.Title) == "":
		return invalid(fieldError{Resource: "Issue", Field: "title", Code: "missing_field"})
	case in.Body != nil && len(*in.Body) > maxIssueBody:
		return invalid(tooLongBody("Issue"))
	}
	i := c.newIssue(*in.Title, deref(in.Body))
	if in.Labels != nil && c.maySort() {
		i.labels = c.labelsNamed(labelNames(*in.Labels))
	}
	c.emitIssue(i, "opened", obj{}, c.who.actor())
	return created(c.issueJSON(i)).with("Location", c.issueAPI(i))
}

func tooLongBody(resource string) fieldError {
	return custom(resource, "body", "body is too long (maximum is 65536 characters)")
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// maySort says whether the caller may set labels and state; without that they are dropped silently, as on GitHub.
func (c *call) maySort() bool {
	return c.who.kind == asInstalled || c.who.kind == asPerson && c.repo.roleOf(c.who.user) >= roleTriage
}

func (c *call) newIssue(title, body string) *issue {
	c.repo.lastNumber++
	i := &issue{
		id: c.nextID(), number: c.repo.lastNumber, repo: c.repo, user: c.who.actor(), title: title, body: body,
		state: "open", created: c.now, updated: c.now,
	}
	c.repo.issues[i.number] = i
	return i
}

// updateIssue changes an issue. An over-long body is answered 200 and kept out, as measured on GitHub.
func updateIssue(c *call, i *issue) reply {
	var in issueInput
	if !c.decode(&in) {
		return badJSON()
	}
	if !c.maySort() && c.who.actor() != i.user {
		return fail(http.StatusForbidden, "Must have admin rights to Repository.")
	}
	if in.State != nil && *in.State != "open" && *in.State != "closed" {
		return invalid(fieldError{Resource: "Issue", Field: "state", Code: "invalid", Value: *in.State})
	}
	if in.Title != nil && strings.TrimSpace(*in.Title) == "" {
		return invalid(fieldError{Resource: "Issue", Field: "title", Code: "missing_field"})
	}
	c.editText(i, in)
	if in.Labels != nil && c.maySort() {
		c.relabel(i, c.labelsNamed(labelNames(*in.Labels)))
	}
	c.setState(i, in)
	return ok(c.issueJSON(i))
}

func (c *call) editText(i *issue, in issueInput) {
	changes := obj{}
	if in.Title != nil && *in.Title != i.title {
		changes["title"] = obj{"from": i.title}
		i.title = *in.Title
	}
	if in.Body != nil && *in.Body != i.body && fits(i, *in.Body) {
		changes["body"] = obj{"from": i.body}
		i.body = *in.Body
	}
	if len(changes) == 0 {
		return
	}
	i.updated = c.now
	c.emitChange(i, "edited", obj{"changes": changes})
}

func fits(i *issue, body string) bool {
	if i.pull != nil {
		return utf8.RuneCountInString(body) <= maxPullBody
	}
	return len(body) <= maxIssueBody
}

func (c *call) setState(i *issue, in issueInput) {
	if in.State == nil || *in.State == i.state || i.pull != nil && i.pull.merged {
		return
	}
	if *in.State == "closed" {
		reason := "completed"
		if in.StateReason != nil {
			reason = *in.StateReason
		}
		c.closeIssue(i, c.who.actor(), reason)
		return
	}
	i.state, i.reason, i.closed, i.closedBy, i.updated = "open", "reopened", time.Time{}, nil, c.now
	c.emitChange(i, "reopened", obj{})
}

func (s *Sim) closeIssue(i *issue, by *user, reason string) {
	now := s.now()
	i.state, i.reason, i.closed, i.closedBy, i.updated = "closed", reason, now, by, now
	s.emitChangeBy(i, "closed", obj{}, by)
}
