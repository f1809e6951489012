package doctor

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/google/go-github/v57/github"
)

// lookAtInstallations compares each installation with what is needed.
func (e *examination) lookAtInstallations(ctx context.Context) {
	if e.app == nil {
		e.add(Check{Name: "installations", Status: Skipped, Message: "without the App's credentials they cannot be listed"})
		return
	}
	all, err := e.installations(ctx)
	switch {
	case err != nil:
		e.add(Check{"installations", "", Problem, "they cannot be listed: " + err.Error(), "Run doctor again when GitHub answers."})
	case len(all) == 0:
		e.add(Check{"installations", "", Warning, "the App is not installed anywhere, so there is nothing to do", "Install it: " + e.app.GetHTMLURL() + "/installations/new"})
	}
	for _, i := range all {
		e.add(e.installation(i)...)
	}
}

func (e *examination) installations(ctx context.Context) ([]*github.Installation, error) {
	var all []*github.Installation
	page := &github.ListOptions{PerPage: 100}
	for {
		list, resp, err := e.github.Apps.ListInstallations(ctx, page)
		if err != nil {
			return nil, err
		}
		if all = append(all, list...); resp.NextPage == 0 {
			return all, nil
		}
		page.Page = resp.NextPage
	}
}

func (e *examination) installation(i *github.Installation) []Check {
	about := i.GetAccount().GetLogin()
	if i.SuspendedAt != nil {
		return []Check{{"installation", about, Warning, "it is suspended: nothing is promoted there", "Unsuspend it: " + i.GetHTMLURL()}}
	}
	needed := maps.Clone(e.Permissions)
	if i.GetTargetType() == "User" { // who has no teams
		delete(needed, "members")
	}
	out := []Check{permissionsCheck("installation", about, "Its owner accepts them here: "+i.GetHTMLURL()+"/permissions/update", needed, granted(i.Permissions))}
	if lacks := missingEvents(e.Events, i.Events); len(lacks) > 0 {
		out = append(out, Check{"installation", about, Problem, fmt.Sprintf("GitHub sends no %s from there", strings.Join(lacks, ", ")),
			"Subscribe the App to them; then its owner accepts the permissions that they need: " + i.GetHTMLURL()})
	}
	return out
}
