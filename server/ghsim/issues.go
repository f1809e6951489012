package ghsim

import (
	"net/http"
	"strconv"
	"time"
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

func (s *Sim) issueAPI(i *issue) string {
	return s.repoAPI(i.repo) + "/issues/" + strconv.Itoa(i.number)
}
