package ghsim

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

type pullInput struct {
	Title *string `json:"title"`
	Body  *string `json:"body"`
	Head  string  `json:"head"`
	Base  *string `json:"base"`
	State *string `json:"state"`
	Draft bool    `json:"draft"`
}

func createPull(c *call) reply {
	var in pullInput
	if !c.decode(&in) {
		return badJSON()
	}
	if bad := in.missing(); len(bad) > 0 {
		return invalid(bad...)
	}
	p := c.findHead(c.repo, in.Head)
	p.lastPusher, p.base, p.draft = c.who.actor().login, *in.Base, in.Draft
	if refused := c.refusePull(p); refused != nil {
		return *refused
	}
	i := c.newIssue(*in.Title, deref(in.Body))
	i.pull = p
	if err := c.measure(i); err != nil {
		delete(c.repo.issues, i.number)
		return failf(http.StatusUnprocessableEntity, "%v", err)
	}
	c.emitPull(i, "opened", obj{}, c.who.actor())
	return created(c.pullJSON(i)).with("Location", c.pullAPI(i))
}

func (in pullInput) missing() []fieldError {
	var bad []fieldError
	for field, absent := range map[string]bool{
		"title": strings.TrimSpace(deref(in.Title)) == "", "head": in.Head == "", "base": deref(in.Base) == "",
	} {
		if absent {
			bad = append(bad, fieldError{Resource: "PullRequest", Field: field, Code: "missing_field"})
		}
	}
	if utf8.RuneCountInString(deref(in.Body)) > maxPullBody {
		bad = append(bad, tooLongBody("PullRequest"))
	}
	return bad
}

// refusePull gives GitHub's reasons not to open a pull request.
func (c *call) refusePull(p *pull) *reply {
	base := c.repo.refs["refs/heads/"+p.base]
	var r reply
	switch {
	case base == "":
		r = invalid(fieldError{Resource: "PullRequest", Field: "base", Code: "invalid"})
	case p.headSHA == "":
		r = invalid(fieldError{Resource: "PullRequest", Field: "head", Code: "invalid"})
	case !c.mayOffer(p):
		r = fail(http.StatusForbidden, "Must have write access to the head branch.")
	case c.contains(c.repo, base, p.headSHA):
		r = invalid(fieldError{Resource: "PullRequest", Code: "custom", Message: "No commits between " + p.base + " and " + p.head})
	case c.openPull(p.fork, p.head, p.base) != nil:
		r = invalid(fieldError{Resource: "PullRequest", Code: "custom", Message: "A pull request already exists for " + c.repo.owner.login + ":" + p.head + "."})
	default:
		return nil
	}
	return &r
}

// mayOffer says whether the caller may write to the head's repository; an App's permission was asked for already.
func (c *call) mayOffer(p *pull) bool {
	r := c.repo
	if p.fork != 0 {
		r = c.repos[p.fork]
	}
	return c.who.kind != asPerson || r.roleOf(c.who.user) >= roleWrite
}

func (c *call) openPull(fork int64, head, base string) *issue {
	for _, i := range c.repo.pulls() {
		if i.state == "open" && i.pull.fork == fork && i.pull.head == head && i.pull.base == base {
			return i
		}
	}
	return nil
}

func updatePull(c *call, i *issue) reply {
	var in pullInput
	if !c.decode(&in) {
		return badJSON()
	}
	if c.who.kind == asPerson && c.repo.roleOf(c.who.user) < roleTriage && c.who.user != i.user {
		return fail(http.StatusForbidden, "Must have admin rights to Repository.")
	}
	if bad := c.refuseUpdate(i, in); len(bad) > 0 {
		return invalid(bad...)
	}
	c.editText(i, issueInput{Title: in.Title, Body: in.Body})
	if err := c.rebasePull(i, in.Base); err != nil {
		return failf(http.StatusUnprocessableEntity, "%v", err)
	}
	c.setState(i, issueInput{State: in.State})
	return ok(c.pullJSON(i))
}

func (c *call) refuseUpdate(i *issue, in pullInput) []fieldError {
	var bad []fieldError
	if in.State != nil && *in.State != "open" && *in.State != "closed" {
		bad = append(bad, fieldError{Resource: "PullRequest", Field: "state", Code: "invalid", Value: *in.State})
	}
	if in.State != nil && *in.State == "open" && i.state == "closed" {
		bad = append(bad, c.refuseReopen(i)...)
	}
	if in.Base != nil && c.repo.refs["refs/heads/"+*in.Base] == "" {
		bad = append(bad, fieldError{Resource: "PullRequest", Field: "base", Code: "invalid"})
	}
	if in.Title != nil && strings.TrimSpace(*in.Title) == "" {
		bad = append(bad, fieldError{Resource: "PullRequest", Field: "title", Code: "missing_field"})
	}
	if utf8.RuneCountInString(deref(in.Body)) > maxPullBody {
		bad = append(bad, tooLongBody("PullRequest"))
	}
	return bad
}

func (c *call) refuseReopen(i *issue) []fieldError {
	switch {
	case i.pull.merged:
		return []fieldError{custom("PullRequest", "state", "state cannot be changed. The pull request has been merged.")}
	case c.headRepo(i) == nil || c.headRepo(i).refs["refs/heads/"+i.pull.head] == "":
		return []fieldError{custom("PullRequest", "state", "state cannot be changed. The "+i.pull.head+" branch was deleted.")}
	case c.openPull(i.pull.fork, i.pull.head, i.pull.base) != nil:
		return []fieldError{custom("PullRequest", "state", "state cannot be changed. There is already an open pull request from "+
			i.pull.head+" to "+i.pull.base+".")}
	}
	return nil
}

// rebasePull gives the pull request another base branch.
func (c *call) rebasePull(i *issue, base *string) error {
	if base == nil || *base == i.pull.base {
		return nil
	}
	from := obj{"ref": obj{"from": i.pull.base}, "sha": obj{"from": i.pull.baseSHA}}
	i.pull.base, i.updated = *base, c.now
	c.stopAutoMerge(i, c.who.actor(), "Base branch was changed")
	if err := c.measure(i); err != nil {
		return err
	}
	c.emitPull(i, "edited", obj{"changes": obj{"base": from}}, c.who.actor())
	return nil
}
