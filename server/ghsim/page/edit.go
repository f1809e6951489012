package page

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

type editPage struct {
	place
	New     bool
	Name    string // the path as typed
	Text    string
	Base    string // what the text was when editing began
	Message string
	Branch  string // of a pull request, when one is proposed
	Propose bool
}

// edit shows the form for changing a file, or making one.
func (v *visit) edit() error {
	page, err := v.editing()
	if err != nil {
		return err
	}
	page.Branch = v.freeBranch()
	return v.showEdit(http.StatusOK, page)
}

func (v *visit) showEdit(status int, page editPage) error {
	return v.showStatus(status, "edit", "Edit "+page.Name+" · "+v.repo.FullName(), "code", page)
}

// editing is the form as it begins.
func (v *visit) editing() (editPage, error) {
	if strings.HasPrefix(v.r.URL.Path, address(v.repo, "new")+"/") {
		at, err := v.place(v.r.PathValue("rest"))
		if err == nil && !at.Branch {
			err = missing("Only on a branch can one commit; %s is none.", at.Ref)
		}
		name := at.Path
		if name != "" {
			name += "/"
		}
		return editPage{place: at, New: true, Name: name}, err
	}
	at, text, err := v.file()
	switch {
	case err != nil:
		return editPage{}, err
	case !at.Branch:
		return editPage{}, missing("Only on a branch can one commit; %s is none.", at.Ref)
	case isBinary(text) || len(text) > maxShown:
		return editPage{}, missing("%s is too large or no text: it cannot be edited here.", at.Path)
	}
	return editPage{place: at, Name: at.Path, Text: text, Base: fingerprint(text)}, nil
}

func fingerprint(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// save commits what was typed. When it cannot, the form comes back as it was, with the reason.
func (v *visit) save() error {
	page, err := v.editing()
	if err != nil {
		return err
	}
	before := page.Text
	form := v.r.PostForm
	page.Text, page.Message = lineEnds(form.Get("text"), before), strings.TrimSpace(form.Get("message"))
	page.Propose, page.Branch = form.Get("propose") == "1", strings.TrimSpace(form.Get("branch"))
	if page.New {
		page.Name = strings.TrimSpace(form.Get("name"))
	}
	if page.Message == "" {
		page.Message = page.defaultMessage()
	}
	stale := form.Get("base") != page.Base
	if why := v.objection(page, before, stale); why != "" {
		v.notice = &notice{Bad: true, Text: why}
		return v.showEdit(http.StatusUnprocessableEntity, page)
	}
	to, err := v.commitEdit(page)
	if err != nil {
		v.notice = &notice{Bad: true, Text: reason(err)}
		return v.showEdit(http.StatusUnprocessableEntity, page)
	}
	return v.goTo(to)
}

func (p editPage) defaultMessage() string {
	if p.New {
		return "Create " + p.Name
	}
	return "Update " + p.Name
}

// Placeholder is the message that an empty field means.
func (p editPage) Placeholder() string {
	if p.New {
		return "Create a file"
	}
	return p.defaultMessage()
}

// commitEdit pushes the change, to its branch or as a pull request, and gives the page to go to.
func (v *visit) commitEdit(p editPage) (string, error) {
	me, err := v.hands()
	if err != nil {
		return "", err
	}
	files := map[string]string{p.Name: p.Text}
	if !p.Propose {
		_, err := me.Commit(v.repo, p.Ref, files, p.Message)
		return v.at("blob", p.Ref, p.Name), err
	}
	return v.propose(me, p, files)
}

func (v *visit) propose(me ghsim.Person, p editPage, files map[string]string) (string, error) {
	if _, err := me.Commit(v.repo, p.Branch, files, p.Message); err != nil {
		return "", err
	}
	title, body, _ := strings.Cut(p.Message, "\n")
	number, err := me.CreatePR(v.repo, p.Branch, p.Ref, title, strings.TrimSpace(body))
	if err != nil {
		return "", err
	}
	return v.numbered("pull", number), nil
}
