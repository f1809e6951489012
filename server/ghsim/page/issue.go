package page

import (
	"html/template"
	"net/http"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// talk is what issues and pull requests have in common.
type talk struct {
	ghsim.Issue
	Repo    ghsim.Repo
	State   string // open, closed, merged, draft
	Kind    string // issues, pull: the word in its address
	Text    template.HTML
	Tick    tickForm
	Events  []event
	Typed   string // a comment that could not be written
	Address string
}

type issuePage struct{ talk }

// issue shows an issue, or leads to the pull request of that number.
func (v *visit) issue() error { return v.showIssue(http.StatusOK, "") }

func (v *visit) showIssue(status int, typed string) error {
	number := v.number("number")
	if _, _, isPull := v.sim.Span(v.repo, number); isPull {
		if status == http.StatusOK {
			return v.goTo(v.numbered("pull", number))
		}
		return v.showPull(status, typed)
	}
	i, found := findIssue(v.sim.Issues(v.repo), number)
	if !found {
		return missing("%s has no issue #%d.", v.repo.FullName(), number)
	}
	page := issuePage{v.talkAbout(i, "issues", i.State, typed)}
	page.Events = v.events(i, nil)
	return v.showStatus(status, "issue", i.Title+" · Issue "+hash(number)+" · "+v.repo.FullName(), "issues", page)
}

func (v *visit) talkAbout(i ghsim.Issue, kind, state, typed string) talk {
	out := talk{Issue: i, Repo: v.repo, State: state, Kind: kind, Typed: typed, Address: v.numbered(kind, i.Number)}
	out.Text, out.Tick = v.tickable(i.Body, i.Author, i.Number, 0)
	return out
}

// comment writes a comment. When it cannot, what was typed stays in the box.
func (v *visit) comment() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	number, text := v.number("number"), lineEnds(v.r.PostForm.Get("text"), "")
	if strings.TrimSpace(text) == "" {
		v.notice = &notice{Bad: true, Text: "Write something first: an empty comment cannot be sent."}
		return v.showIssue(http.StatusUnprocessableEntity, text)
	}
	id, err := me.Comment(v.repo, number, text)
	if err != nil {
		v.notice = &notice{Bad: true, Text: reason(err)}
		return v.showIssue(http.StatusUnprocessableEntity, text)
	}
	return v.goTo(v.numbered("issues", number) + anchorOf(id))
}

// setState closes or reopens an issue or pull request.
func (v *visit) setState() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	state, done := v.r.PostForm.Get("state"), "Reopened."
	if state == "closed" {
		done = "Closed."
	}
	number := v.number("number")
	kind := "issues"
	if _, _, isPull := v.sim.Span(v.repo, number); isPull {
		kind = "pulls"
	}
	path := "/repos/" + v.repo.FullName() + "/" + kind + "/" + v.r.PathValue("number")
	err = me.Do(http.MethodPatch, path, map[string]string{"state": state}, nil)
	return v.said(err, done, v.numbered("issues", number))
}
