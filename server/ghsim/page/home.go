package page

import (
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// listed is a repository in a list, with what a visitor looks for first.
type listed struct {
	ghsim.Repo
	Role                  string
	OpenIssues, OpenPulls int
	Last                  *ghsim.Commit
}

type homePage struct {
	Owner string // empty: all of them
	Repos []listed
}

func (v *visit) home() error {
	return v.show("home", "Repositories", "", homePage{Repos: v.list("")})
}

// owner lists the repositories of an account, or says that a person has none.
func (v *visit) owner() error {
	name := v.r.PathValue("owner")
	repos := v.list(name)
	known := slices.ContainsFunc(v.sim.People(), func(p string) bool { return strings.EqualFold(p, name) })
	if len(repos) == 0 && !known {
		return missing("There is no account %s here.", name)
	}
	return v.show("home", name, "", homePage{Owner: name, Repos: repos})
}

func (v *visit) list(owner string) []listed {
	var out []listed
	for _, repo := range v.sim.Repos() {
		if !v.sees(repo) || owner != "" && !strings.EqualFold(repo.Owner, owner) {
			continue
		}
		in := &visit{site: v.site, repo: repo}
		head := in.head()
		one := listed{Repo: repo, Role: v.role(repo), OpenIssues: head.OpenIssues, OpenPulls: head.OpenPulls}
		if last, err := v.sim.History(repo, repo.DefaultBranch, "", 0, 1); err == nil && len(last) == 1 {
			one.Last = &last[0]
		}
		out = append(out, one)
	}
	return out
}

// app says what an address like /apps/stagecoach stands for.
func (v *visit) app() error {
	return v.show("app", "App "+v.r.PathValue("slug"), "", v.r.PathValue("slug"))
}
