package ghsim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

type comment struct {
	id        int64
	issue     *issue
	user      *user
	body      string
	created   time.Time
	updated   time.Time
	reactions []*reaction
}

// commentRoutes are those below issues/comments; see routeMuxes.
func commentRoutes() []route {
	const one = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
	write, read := "issues=write; pull_requests=write", "issues=read; pull_requests=read"
	return []route{
		{pattern: "GET " + one, docs: "issues/comments#get-an-issue-comment", needs: read, role: roleRead, run: withComment(getComment)},
		{pattern: "PATCH " + one, docs: "issues/comments#update-an-issue-comment", needs: write, role: roleRead, run: withComment(updateComment)},
		{pattern: "DELETE " + one, docs: "issues/comments#delete-an-issue-comment", needs: write, role: roleRead, run: withComment(deleteComment)},
		{pattern: "GET " + one + "/reactions", docs: "reactions/reactions#list-reactions-for-an-issue-comment", needs: read, role: roleRead,
			run: withComment(listReactions)},
		{pattern: "POST " + one + "/reactions", docs: "reactions/reactions#create-reaction-for-an-issue-comment", needs: write, role: roleRead,
			run: withComment(createReaction)},
	}
}

func withComment(run func(*call, *comment) reply) func(*call) reply {
	return func(c *call) reply {
		cm := c.repo.comments[c.id("comment_id")]
		if cm == nil {
			return notFound()
		}
		if refused := c.demandFor(cm.issue); refused != nil {
			return *refused
		}
		return run(c, cm)
	}
}

func getComment(c *call, cm *comment) reply { return ok(c.commentJSON(cm)) }

func listComments(c *call, i *issue) reply {
	since, err := time.Parse(time.RFC3339, c.query("since"))
	found := slices.DeleteFunc(slices.Clone(i.comments), func(cm *comment) bool { return err == nil && cm.updated.Before(since) })
	return list(c, found, c.commentJSON)
}

type commentInput struct {
	Body *string `json:"body"`
}

// commentBody reads and checks the body of create and update.
func (c *call) commentBody() (string, *reply) {
	var in commentInput
	var r reply
	switch {
	case !c.decode(&in):
		r = badJSON()
	case in.Body == nil || strings.TrimSpace(*in.Body) == "":
		r = invalid(custom("IssueComment", "data", "Body cannot be blank"))
	case len(*in.Body) > maxIssueBody:
		r = invalid(tooLongBody("IssueComment"))
	default:
		return *in.Body, nil
	}
	return "", &r
}

func createComment(c *call, i *issue) reply {
	body, refused := c.commentBody()
	if refused != nil {
		return *refused
	}
	cm := &comment{id: c.nextID(), issue: i, user: c.who.actor(), body: body, created: c.now, updated: c.now}
	i.comments = append(i.comments, cm)
	i.updated = c.now
	c.repo.comments[cm.id] = cm
	c.emitComment(cm, "created", obj{})
	return created(c.commentJSON(cm)).with("Location", c.commentAPI(cm))
}

// mayEdit lets the author and people with write access edit; an App with the permission may edit all.
func (c *call) mayEdit(cm *comment) bool {
	return c.who.kind == asInstalled || c.who.user == cm.user || c.repo.roleOf(c.who.user) >= roleWrite
}

func updateComment(c *call, cm *comment) reply {
	body, refused := c.commentBody()
	if refused != nil {
		return *refused
	}
	if !c.mayEdit(cm) {
		return fail(http.StatusForbidden, "Must have admin rights to Repository.")
	}
	if body != cm.body {
		from := cm.body
		cm.body, cm.updated, cm.issue.updated = body, c.now, c.now
		c.emitComment(cm, "edited", obj{"changes": obj{"body": obj{"from": from}}})
	}
	return ok(c.commentJSON(cm))
}

func deleteComment(c *call, cm *comment) reply {
	if !c.mayEdit(cm) {
		return fail(http.StatusForbidden, "Must have admin rights to Repository.")
	}
	delete(c.repo.comments, cm.id)
	cm.issue.comments = slices.DeleteFunc(cm.issue.comments, func(other *comment) bool { return other == cm })
	c.emitComment(cm, "deleted", obj{})
	return noContent()
}

func (s *Sim) commentAPI(cm *comment) string {
	return fmt.Sprintf("%s/issues/comments/%d", s.repoAPI(cm.issue.repo), cm.id)
}

func (s *Sim) commentJSON(cm *comment) obj {
	api := s.commentAPI(cm)
	return obj{
		"url": api, "html_url": fmt.Sprintf("%s#issuecomment-%d", s.issueWeb(cm.issue), cm.id), "issue_url": s.issueAPI(cm.issue),
		"id": cm.id, "node_id": nodeID("IC", cm.id), "user": s.userJSON(cm.user), "created_at": stamp(cm.created), "updated_at": stamp(cm.updated),
		"author_association": cm.issue.repo.association(cm.user), "body": cm.body, "reactions": reactionsJSON(api, cm.reactions),
		"performed_via_github_app": s.viaApp(cm.user),
	}
}
