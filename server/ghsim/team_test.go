package ghsim_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"
)

func TestTeamMembership(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.AddTeam("acme", "platform", "monalisa")
	w.AddTeam("acme", "sre", "hubot", "octocat")
	must(t, w.SetTeamParent("acme", "sre", "platform"))
	must(t, w.InviteToTeam("acme", "sre", "newcomer"))
	must(t, w.SetTeamMaintainer("acme", "sre", "octocat"))
	w.AddOrgMember("acme", "boss", true)
	w.AddTeam("acme", "sre", "boss")
	for _, c := range []struct{ team, login, want string }{
		{"sre", "hubot", "member active"}, {"sre", "HUBOT", "member active"}, {"sre", "octocat", "maintainer active"}, {"sre", "boss", "maintainer active"},
		{"sre", "newcomer", "member pending"}, {"sre", "monalisa", "404"}, {"sre", "nobody", "404"}, {"nothing", "hubot", "404"},
		{"platform", "monalisa", "member active"}, {"platform", "hubot", "member active"}, {"platform", "newcomer", "404"},
	} {
		got := "404"
		if m, _, err := w.rest.Teams.GetTeamMembershipBySlug(ctx, "acme", c.team, c.login); err == nil {
			got = m.GetRole() + " " + m.GetState()
		} else if status(err) != 404 {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.login, c.team, got, c.want)
		}
	}
	members, _, err := w.rest.Teams.ListTeamMembersBySlug(ctx, "acme", "platform", nil)
	must(t, err)
	var names []string
	for _, m := range members {
		names = append(names, m.GetLogin())
	}
	if !slices.Equal(names, []string{"boss", "hubot", "monalisa", "octocat"}) {
		t.Errorf("members with those of teams below: %v", names)
	}
	must(t, w.RemoveFromTeam("acme", "sre", "hubot"))
	if _, _, err := w.rest.Teams.GetTeamMembershipBySlug(ctx, "acme", "platform", "hubot"); status(err) != 404 {
		t.Errorf("after leaving: %v", err)
	}
	w.RemoveOrgMember("acme", "octocat")
	if is, _, err := w.rest.Organizations.IsMember(ctx, "acme", "octocat"); err != nil || is {
		t.Errorf("after leaving the organization: %v %v", is, err)
	}
}

// Who is in a team is for those who may know: an App with members: read where it is installed, and people of the organization.
func TestTeamsAreNotPublic(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.AddTeam("acme", "sre", "hubot")
	w.AddTeam("other", "sre", "hubot")
	if _, _, err := w.rest.Teams.GetTeamBySlug(ctx, "other", "sre"); status(err) != 403 {
		t.Errorf("a team of an organization without the App: %v", err)
	}
	if err := w.As("stranger").Do("GET", "/orgs/acme/teams/sre", nil, nil); refusal(err) != 404 {
		t.Errorf("a stranger: %v", err)
	}
	must(t, w.As("hubot").Do("GET", "/orgs/acme/teams/sre", nil, nil))
	if got, _, _ := w.send("GET", "/api/v3/orgs/acme/teams/sre", "", ""); got != 401 {
		t.Errorf("nobody: %d", got)
	}
	permissions := allPermissions()
	delete(permissions, "members")
	must(t, w.SetInstallationPermissions(w.inst, permissions))
	got, header, _ := w.send("GET", "/api/v3/orgs/acme/teams/sre", w.token(), "")
	if got != 403 || header.Get("X-Accepted-GitHub-Permissions") != "members=read" {
		t.Errorf("without the permission: %d %v", got, header)
	}
}

func TestRoles(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.AddOrgMember("acme", "boss", true)
	w.AddOrgMember("acme", "member", false)
	w.AddTeam("acme", "sre", "hubot", "monalisa")
	must(t, w.SetTeamPermission(w.repo, "sre", "maintain"))
	must(t, w.SetPermission(w.repo, "hubot", "triage"))
	must(t, w.SetPermission(w.repo, "monalisa", "admin"))
	must(t, w.SetCustomRole(w.repo, "releaser", "Release manager", "write"))
	for login, want := range map[string]string{
		"boss": "admin admin", "member": "read read", "hubot": "write maintain", "monalisa": "admin admin", "releaser": "write Release manager",
		"octocat": "write write", "stranger": "none none",
	} {
		w.AddUser(login)
		got, _, err := w.rest.Repositories.GetPermissionLevel(ctx, "acme", "gitops", login)
		must(t, err)
		if is := got.GetPermission() + " " + got.GetUser().GetRoleName(); is != want {
			t.Errorf("%s: %s, want %s", login, is, want)
		}
	}
	must(t, w.SetPermission(w.repo, "releaser", "read"))
	if got := w.As("releaser").Role(w.repo); got != "read" {
		t.Errorf("the custom role stayed: %s", got)
	}
}

func TestRequestedReviewers(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	number := w.pullRequest("next")
	w.AddTeam("acme", "sre", "hubot")
	w.AddTeam("acme", "idle", "hubot")
	must(t, w.SetTeamPermission(w.repo, "sre", "read"))
	must(t, w.SetPermission(w.repo, "monalisa", "read"))
	w.AddUser("stranger")
	ask := func(users, teams []string) (int, string) {
		_, resp, err := w.rest.PullRequests.RequestReviewers(ctx, "acme", "gitops", number, github.ReviewersRequest{Reviewers: users, TeamReviewers: teams})
		if err == nil {
			return resp.StatusCode, ""
		}
		return resp.StatusCode, err.Error()
	}
	w.take()
	for name, c := range map[string]struct {
		users, teams []string
		want         string
	}{
		"stranger": {[]string{"monalisa", "stranger"}, nil, "not a collaborator of the acme/gitops repository"},
		"nobody":   {[]string{"no-such-person"}, nil, "Reviews may only be requested from collaborators"},
		"author":   {[]string{"octocat"}, nil, "Review cannot be requested from pull request author"},
		"no team":  {nil, []string{"nothing"}, "Reviews may only be requested from collaborators"},
		"outside":  {nil, []string{"idle"}, "Reviews may only be requested from collaborators"},
	} {
		if got, text := ask(c.users, c.teams); got != 422 || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, want %s", name, got, text, c.want)
		}
	}
	if got := w.events(); len(got) != 0 {
		t.Errorf("somebody was asked: %v", got)
	}
	if got, text := ask([]string{"monalisa"}, []string{"sre"}); got != 201 {
		t.Fatalf("%d %s", got, text)
	}
	if got := w.events(); !slices.Equal(got, []string{"pull_request.review_requested", "pull_request.review_requested"}) {
		t.Errorf("events %v", got)
	}
	_, err := w.As("hubot").Approve(w.repo, number)
	must(t, err)
	asked, _, err := w.rest.PullRequests.ListReviewers(ctx, "acme", "gitops", number, nil)
	must(t, err)
	if len(asked.Users) != 1 || len(asked.Teams) != 0 {
		t.Errorf("after the team's review: %v %v", asked.Users, asked.Teams)
	}
	permissions := allPermissions()
	delete(permissions, "members")
	must(t, w.SetInstallationPermissions(w.inst, permissions))
	if got, text := ask(nil, []string{"sre"}); got != 422 || !strings.Contains(text, "Could not resolve to a node") {
		t.Errorf("an App that may not read teams: %d %s", got, text)
	}
}

func TestLabels(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	number := w.pullRequest("next")
	for _, c := range []struct {
		name, color string
		want        int
	}{
		{"promotion", "0E8A16", 201}, {"Promotion", "0E8A16", 422}, {"", "0E8A16", 422}, {strings.Repeat("é", 50), "", 201},
		{strings.Repeat("e", 51), "", 422}, {"bad", "green", 422},
	} {
		_, resp, _ := w.rest.Issues.CreateLabel(ctx, "acme", "gitops", &github.Label{Name: &c.name, Color: &c.color})
		if resp.StatusCode != c.want {
			t.Errorf("%q %q: %d, want %d", c.name, c.color, resp.StatusCode, c.want)
		}
	}
	_, _, err := w.rest.Issues.AddLabelsToIssue(ctx, "acme", "gitops", number, []string{"PROMOTION", "fresh"})
	must(t, err)
	w.take()
	left, _, err := w.rest.Issues.ReplaceLabelsForIssue(ctx, "acme", "gitops", number, []string{"fresh", "other"})
	must(t, err)
	if len(left) != 2 || left[0].GetName() != "fresh" {
		t.Errorf("left %v", left)
	}
	if got := w.events(); !slices.Equal(got, []string{"pull_request.unlabeled", "pull_request.labeled"}) {
		t.Errorf("events %v", got)
	}
	if _, err := w.rest.Issues.RemoveLabelForIssue(ctx, "acme", "gitops", number, "promotion"); status(err) != 404 {
		t.Errorf("a label that is not on it: %v", err)
	}
	all, _, err := w.rest.Issues.ListLabels(ctx, "acme", "gitops", nil)
	must(t, err)
	if len(all) != 4 {
		t.Errorf("%d labels", len(all))
	}
}
