package ghsim

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The limits that GitHub was measured to have: bodies of issues and comments in bytes, of pull requests in code points.
const (
	maxIssueBody = 262144
	maxPullBody  = 65536
)

// issue is an issue, or with pull a pull request: they share numbers, comments and labels.
type issue struct {
	id          int64
	number      int
	repo        *repository
	user        *user
	title, body string
	state       string // open or closed
	reason      string // of the state: completed, not_planned, reopened
	labels      []*label
	created     time.Time
	updated     time.Time
	closed      time.Time
	closedBy    *user
	comments    []*comment
	reactions   []*reaction
	pull        *pull
}

func issueRoutes() []route {
	const one = "/repos/{owner}/{repo}/issues/{issue_number}"
	either := "issues=write; pull_requests=write"
	return []route{
		{pattern: "GET /repos/{owner}/{repo}/issues", docs: "issues/issues#list-repository-issues", needs: "issues=read", role: roleRead, run: listIssues},
		{pattern: "POST /repos/{owner}/{repo}/issues", docs: "issues/issues#create-an-issue", needs: "issues=write", role: roleRead, run: createIssue},
		{pattern: "GET " + one, docs: "issues/issues#get-an-issue", needs: "issues=read; pull_requests=read", role: roleRead, run: withIssue(getIssue)},
		{pattern: "PATCH " + one, docs: "issues/issues#update-an-issue", needs: either, role: roleRead, run: withIssue(updateIssue)},
		{pattern: "GET " + one + "/comments", docs: "issues/comments#list-issue-comments", needs: "issues=read; pull_requests=read", role: roleRead, run: withIssue(listComments)},
		{pattern: "POST " + one + "/comments", docs: "issues/comments#create-an-issue-comment", needs: either, role: roleRead, run: withIssue(createComment)},
		{pattern: "POST " + one + "/labels", docs: "issues/labels#add-labels-to-an-issue", needs: either, role: roleTriage, run: withIssue(addLabels)},
	}
}

func getIssue(c *call, i *issue) reply { return ok(c.issueJSON(i)) }

// withIssue finds the issue in the path. An App needs the permission of what it is, of issues or of pull requests.
func withIssue(run func(*call, *issue) reply) func(*call) reply {
	return func(c *call) reply {
		if c.repo.noIssues {
			if n := c.repo.issues[int(c.id("issue_number"))]; n == nil || n.pull == nil {
				return fail(http.StatusGone, "Issues has been disabled in this repository.")
			}
		}
		i := c.repo.issues[int(c.id("issue_number"))]
		if i == nil {
			return notFound()
		}
		if refused := c.demandFor(i); refused != nil {
			return *refused
		}
		return run(c, i)
	}
}

// demandFor narrows "issues or pull requests" to what the target is: pull_requests opens only pull requests.
func (c *call) demandFor(i *issue) *reply {
	if i.pull != nil {
		return nil
	}
	level := "write"
	if isRead(c.r.Method) {
		level = "read"
	}
	return c.demand("issues="+level, roleNone)
}

func listIssues(c *call) reply {
	if c.repo.noIssues {
		return fail(http.StatusGone, "Issues has been disabled in this repository.")
	}
	var found []*issue
	for _, i := range c.repo.issues {
		if c.listed(i) {
			found = append(found, i)
		}
	}
	sortIssues(found, c.query("sort"), c.query("direction"))
	return list(c, found, c.issueJSON)
}

// listed applies the filters of the list: state, labels (all of them), creator and since.
func (c *call) listed(i *issue) bool {
	state := c.query("state")
	if state == "" {
		state = "open"
	}
	if state != "all" && i.state != state {
		return false
	}
	for _, name := range strings.Split(c.query("labels"), ",") {
		if name != "" && !i.hasLabel(name) {
			return false
		}
	}
	if creator := c.query("creator"); creator != "" && !strings.EqualFold(creator, i.user.login) {
		return false
	}
	since, err := time.Parse(time.RFC3339, c.query("since"))
	return err != nil || !i.updated.Before(since)
}

func sortIssues(found []*issue, by, direction string) {
	slices.SortFunc(found, func(a, b *issue) int {
		order := b.number - a.number
		if by == "updated" && !a.updated.Equal(b.updated) {
			order = b.updated.Compare(a.updated)
		}
		if by == "comments" && len(a.comments) != len(b.comments) {
			order = len(b.comments) - len(a.comments)
		}
		if direction == "asc" {
			return -order
		}
		return order
	})
}

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

func (s *Sim) issueAPI(i *issue) string {
	return s.repoAPI(i.repo) + "/issues/" + strconv.Itoa(i.number)
}
