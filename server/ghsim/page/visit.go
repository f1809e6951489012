package page

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// visit is one request: who makes it, and where.
type visit struct {
	*site
	w       http.ResponseWriter
	r       *http.Request
	session string
	me      string // "" when the simulator has no people
	repo    ghsim.Repo
	notice  *notice
}

func (s *site) visit(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{site: s, w: w, r: r}
	v.readSession()
	v.readPerson()
	return v
}

// failure ends a request with a page that says why.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

func failed(status int, text string) error { return &failure{status, text} }

func missing(format string, args ...any) error {
	return failed(http.StatusNotFound, fmt.Sprintf(format, args...))
}

// end shows what went wrong, if anything did.
func (v *visit) end(err error) {
	if err == nil {
		return
	}
	f := &failure{http.StatusInternalServerError, err.Error()}
	_ = errors.As(err, &f)
	title := http.StatusText(f.status)
	if err := v.showStatus(f.status, "failure", title, "", map[string]string{"Title": title, "Text": f.text}); err != nil {
		http.Error(v.w, f.text, f.status)
	}
}

// inRepo finds the repository in the address. One that the person cannot see does not exist; a former name leads on.
func inRepo(next func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		name := v.r.PathValue("owner") + "/" + v.r.PathValue("repo")
		repo, found := v.sim.RepoByName(name)
		if !found || !v.sees(repo) {
			return missing("There is no repository %s, or %s may not see it.", name, v.name())
		}
		v.repo = repo
		if v.r.Method == http.MethodGet && name != repo.FullName() {
			rest := strings.TrimPrefix(v.r.URL.Path, "/"+name)
			return v.goTo((&url.URL{Path: "/" + repo.FullName() + rest, RawQuery: v.r.URL.RawQuery}).String())
		}
		return next(v)
	}
}

func (v *visit) name() string {
	if v.me == "" {
		return "nobody"
	}
	return v.me
}

// role is what the person may do in a repository. Nobody may read what all may.
func (v *visit) role(repo ghsim.Repo) string {
	switch {
	case v.me != "":
		return v.sim.As(v.me).Role(repo)
	case repo.Private:
		return "none"
	}
	return "read"
}

func (v *visit) sees(repo ghsim.Repo) bool { return v.role(repo) != "none" }

// hands are those of the person at the keyboard.
func (v *visit) hands() (ghsim.Person, error) {
	if v.me == "" {
		return ghsim.Person{}, failed(http.StatusUnauthorized, "The simulator has no people: nobody is there to do this.")
	}
	return v.sim.As(v.me), nil
}

// said ends an act: what GitHub refused is said at the head of the page that follows, and so is done when all went well.
func (v *visit) said(err error, done, to string) error {
	if err != nil {
		v.say(notice{Bad: true, Text: reason(err)})
		return v.goTo(to)
	}
	if done != "" {
		v.say(notice{Text: done})
	}
	return v.goTo(to)
}

// reason is an error in GitHub's own words where they are known.
func reason(err error) string {
	var refused *ghsim.Refused
	if errors.As(err, &refused) {
		return fmt.Sprintf("GitHub refused: %s", refused.Message())
	}
	return err.Error()
}
