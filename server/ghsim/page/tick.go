package page

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/ghsim/page/markdown"
)

// tickForm is the form that the boxes of one text's task lists belong to. The zero value is of a text whose boxes stay as they are.
type tickForm struct {
	ID      string
	Address string
	Comment int64  // 0 for the opening text
	Version string // of the text that the person sees
}

// tickable renders a text with boxes that the person may tick: who wrote it, or who may edit everybody's.
func (v *visit) tickable(body, author string, number int, comment int64) (template.HTML, tickForm) {
	if v.me == "" || author != v.me && !slices.Contains([]string{"write", "maintain", "admin"}, v.role(v.repo)) {
		return v.comments(body), tickForm{}
	}
	form := tickForm{
		ID: fmt.Sprintf("tasks-%d-%d", number, comment), Address: v.numbered("issues", number) + "/tick", Comment: comment, Version: versionOf(body),
	}
	at := v.context()
	at.TaskForm = form.ID
	return markdown.Comment(body, at), form
}

// versionOf tells texts apart.
func versionOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:8])
}

// tick turns over a box: an edit of the text by the person, if it is still the text that they saw.
func (v *visit) tick() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	number, to := v.number("number"), v.numbered("issues", v.number("number"))
	comment, box := v.formNumber("comment"), v.formNumber("box")
	body, found := v.textOf(number, comment)
	if !found {
		return missing("%s has no such text any more.", v.repo.FullName())
	}
	if versionOf(body) != v.r.PostForm.Get("version") {
		v.say(notice{Bad: true, Text: "The text has changed meanwhile. Look again, then tick."})
		return v.goTo(to)
	}
	ticked, ok := markdown.Tick(body, int(box))
	if !ok {
		return failed(http.StatusBadRequest, "The form names no box of the text.")
	}
	if comment != 0 {
		return v.said(me.EditComment(v.repo, comment, ticked), "", to+anchorOf(comment))
	}
	return v.said(me.EditIssue(v.repo, number, map[string]any{"body": ticked}), "", to)
}

// formNumber is a number in the form, 0 for what is none.
func (v *visit) formNumber(name string) int64 {
	n, err := strconv.ParseInt(v.r.PostForm.Get(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// textOf is the body of a comment, or of the issue or pull request itself.
func (v *visit) textOf(number int, comment int64) (body string, found bool) {
	if comment != 0 {
		all := v.sim.Comments(v.repo, number)
		at := slices.IndexFunc(all, func(c ghsim.Comment) bool { return c.ID == comment })
		if at < 0 {
			return "", false
		}
		return all[at].Body, true
	}
	if i, found := findIssue(v.sim.Issues(v.repo), number); found {
		return i.Body, true
	}
	all := v.sim.PullRequests(v.repo)
	at := slices.IndexFunc(all, func(p ghsim.PullRequest) bool { return p.Number == number })
	if at < 0 {
		return "", false
	}
	return all[at].Body, true
}
