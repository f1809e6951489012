package ghapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func (w *world) permissionTask(login string, teams ...string) promotion.Task {
	t := w.task(promotion.KindPermission)
	t.Effect.Login, t.Effect.Teams = login, teams
	return t
}

// furnishTeams gives acme the teams sre and web; on-call is below sre.
func (w *world) furnishTeams() {
	w.AddTeam("acme", "sre", "octocat")
	w.AddTeam("acme", "web", "octocat", "monalisa")
	w.AddTeam("acme", "on-call", "hubot")
	must(w.t, w.SetTeamParent("acme", "on-call", "sre"))
	must(w.t, w.InviteToTeam("acme", "sre", "monalisa"))
}

func TestTeams(t *testing.T) {
	w := newWorld(t)
	w.furnishTeams()
	w.AddUser("stranger")
	for login, want := range map[string][]string{
		"octocat":  {"web", "sre"},
		"OctoCat":  {"web", "sre"},
		"monalisa": {"web"},            // and invited to sre
		"hubot":    {"sre", "on-call"}, // sre by the team below it
		"stranger": nil,
	} {
		var got promotion.Result
		w.costs("0 writes, 5 reads", func() { got = w.run(w.permissionTask(login, "web", "sre", "on-call", "ghosts")) })
		if diff := cmp.Diff(want, got.Teams); diff != "" || got.TeamsUnread != "" {
			t.Errorf("%s (-want +got, unread: %q):\n%s", login, got.TeamsUnread, diff)
		}
		w.API = w.newAPI() // with nothing cached
	}
	if got := w.run(w.permissionTask("octocat", "sre")); got.Permission != "write" || got.Role != "maintain" {
		t.Errorf("the permission came as %+v", got)
	}
}

// A slug of dots would make a path that leads to another answer.
func TestTeamsThatAreNone(t *testing.T) {
	w := newWorld(t)
	w.furnishTeams()
	w.costs("0 writes, 2 reads", func() {
		if got := w.run(w.permissionTask("octocat", "..", ".", "", "web/../sre")); len(got.Teams) > 0 || got.TeamsUnread != "" {
			t.Errorf("got %+v", got)
		}
	})
}

// GitHub is not asked for the teams of nobody.
func TestAnUnknownLoginIsInNoTeam(t *testing.T) {
	w := newWorld(t)
	_, err := w.API.Repository(t.Context(), w.repo()) // GitHub knows the token
	must(t, err)
	w.furnishTeams()
	w.costs("0 writes, 1 reads", func() {
		if got := w.run(w.permissionTask("no-such-person", "sre")); got.Permission != "none" || got.Teams != nil {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAPersonsRepositoryHasNoTeams(t *testing.T) {
	w := newWorld(t)
	own, err := w.CreateRepo("octocat", "own", ghsim.RepoOptions{Files: map[string]string{"a": "b"}})
	must(t, err)
	inst, err := w.Install(w.app.ID, "octocat", own)
	must(t, err)
	task := w.permissionTask("octocat", "sre")
	task.Repo = promotion.Repo{ID: own.ID, Owner: "octocat", Name: "own", Installation: inst}
	if got := w.run(task); got.Permission != "admin" || got.Teams != nil || got.TeamsUnread != "" {
		t.Errorf("got %+v", got)
	}
}

// Without members=read it is still known what somebody may do in the repository:
// the answer comes, and says what is missing.
func TestTeamsWithoutThePermission(t *testing.T) {
	w := newWorld(t)
	w.furnishTeams()
	fewer := ghapi.Permissions()
	delete(fewer, "members")
	must(t, w.SetInstallationPermissions(w.inst, fewer))
	var got promotion.Result
	w.costs("0 writes, 2 reads", func() { got = w.run(w.permissionTask("octocat", "sre", "web")) })
	if got.Permission != "write" || got.Teams != nil || !strings.Contains(got.TeamsUnread, "may not read who is in the team sre: it needs the permission members=read") {
		t.Errorf("got %+v", got)
	}
	must(t, w.SetInstallationPermissions(w.inst, ghapi.Permissions()))
	w.API = w.newAPI()
	if got := w.run(w.permissionTask("octocat", "sre", "web")); len(got.Teams) != 2 || got.TeamsUnread != "" {
		t.Errorf("with the permission: %+v", got)
	}
}

// What passes by itself, or by an event, is waited for; what was refused is told.
func TestTeamsThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		answer *http.Response
		unread string // in TeamsUnread; empty: it is an error
	}{
		"a server error":   {respond(500, `{"message":"Server Error"}`), ""},
		"a rate limit":     {respond(429, `{}`, "Retry-After", "30"), ""},
		"an IP allow list": {respond(403, `{"message":"the organization has an IP allow list enabled"}`), ""},
		"a refusal":        {respond(403, `{"message":"Forbidden by a policy"}`), "could not read who is in the team sre: GitHub says: Forbidden by a policy (403)"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.furnishTeams()
			w.through(func(r *http.Request) *http.Response {
				if strings.Contains(r.URL.Path, "/teams/sre/") {
					return c.answer
				}
				return nil
			})
			got := w.Run(t.Context(), w.permissionTask("octocat", "web", "sre"))
			if c.unread == "" && (got.Err == nil || promotion.IsTerminal(got.Err) || got.TeamsUnread != "") {
				t.Errorf("got %+v; want an error to wait for", got)
			}
			if c.unread != "" && (got.Err != nil || got.TeamsUnread != c.unread || len(got.Teams) != 1) {
				t.Errorf("got %+v; want web, and %q", got, c.unread)
			}
		})
	}
}
