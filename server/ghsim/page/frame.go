package page

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// frame is what every page has around its own content.
type frame struct {
	Title  string
	Me     string
	Role   string // in the repository; empty outside of one
	People []person
	Token  string
	Here   string // the address of this page, for forms that lead back to it
	Notice *notice
	Repo   *repoHead
	Tab    string
	Page   any
}

type person struct{ Login, Role string }

// repoHead is the line over the pages of a repository.
type repoHead struct {
	ghsim.Repo
	OpenIssues, OpenPulls int
}

// show writes a page of the given template.
func (v *visit) show(page, title, tab string, content any) error {
	return v.showStatus(http.StatusOK, page, title, tab, content)
}

func (v *visit) showStatus(status int, page, title, tab string, content any) error {
	v.readNotice()
	f := frame{
		Title: title, Me: v.me, Token: v.token(), Here: v.here(), Notice: v.notice, Tab: tab, Page: content,
	}
	if v.repo.ID != 0 {
		f.Role, f.Repo = v.role(v.repo), v.head()
	}
	for _, login := range v.sim.People() {
		p := person{Login: login}
		if v.repo.ID != 0 {
			p.Role = v.sim.As(login).Role(v.repo)
		}
		f.People = append(f.People, p)
	}
	var out bytes.Buffer
	if err := v.looks[page].ExecuteTemplate(&out, "frame.html", f); err != nil {
		return fmt.Errorf("draw the page %s: %w", page, err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(out.Bytes()) // a reader who went away is not our error
	return nil
}

// here is the page's own address; of an act, the page that its form stood on.
func (v *visit) here() string {
	if v.r.Method == http.MethodPost {
		return v.back("/")
	}
	return v.r.URL.RequestURI()
}

func (v *visit) head() *repoHead {
	h := &repoHead{Repo: v.repo}
	for _, i := range v.sim.Issues(v.repo) {
		if i.State == "open" {
			h.OpenIssues++
		}
	}
	for _, p := range v.sim.PullRequests(v.repo) {
		if p.State == "open" {
			h.OpenPulls++
		}
	}
	return h
}
