package ghsim_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// busy is a simulator in which something of each kind is there, and its directory.
func busy(t *testing.T) (sim *ghsim.Sim, repo ghsim.Repo, app, inst int64, dir string) {
	t.Helper()
	dir = t.TempDir()
	sim, err := ghsim.New(ghsim.Options{Dir: dir})
	must(t, err)
	t.Cleanup(sim.Close)
	repo, err = sim.CreateRepo("acme", "gitops", ghsim.RepoOptions{Private: true, Files: map[string]string{"a": "1\n"}, MergeMethods: []string{"squash"}})
	must(t, err)
	must(t, sim.SetPermission(repo, "octocat", "write"))
	key, err := sharedKey()
	must(t, err)
	registered, err := sim.RegisterApp(ghsim.App{Slug: "stagecoach", Owner: "acme", Permissions: allPermissions(), Events: allEvents, PrivateKey: key})
	must(t, err)
	inst, err = sim.Install(registered.ID, "acme", repo)
	must(t, err)
	octocat := sim.As("octocat")
	issue, err := octocat.CreateIssue(repo, "Promotions", "body")
	must(t, err)
	must(t, octocat.EditIssue(repo, issue, map[string]any{"labels": []string{"stagecoach"}}))
	comment, err := octocat.Comment(repo, issue, "/promote prod")
	must(t, err)
	must(t, octocat.Do("POST", "/repos/acme/gitops/issues/comments/"+strconv.FormatInt(comment, 10)+"/reactions", map[string]string{"content": "rocket"}, nil))
	for _, branch := range []string{"merged", "open"} {
		_, err = octocat.Commit(repo, branch, map[string]string{branch: "2\n"}, "Add "+branch)
		must(t, err)
		_, err = octocat.CreatePR(repo, branch, "main", "Add "+branch, "")
		must(t, err)
	}
	_, err = octocat.Merge(repo, 2, "squash")
	must(t, err)
	_, err = sim.RenameRepo(repo, "deploy")
	must(t, err)
	repo, _ = sim.RepoByID(repo.ID)
	return sim, repo, registered.ID, inst, dir
}

// createRun makes a check run as the App does, with a key that it has had from the beginning.
func createRun(t *testing.T, sim *ghsim.Sim, app, inst int64, repo ghsim.Repo) {
	t.Helper()
	key, err := sharedKey()
	must(t, err)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	itr := ghinstallation.NewFromAppsTransport(ghinstallation.NewAppsTransportFromPrivateKey(transport, app, key), inst)
	url := newServer(t, sim)
	itr.BaseURL = url + "/api/v3"
	rest, err := github.NewClient(&http.Client{Transport: itr}).WithEnterpriseURLs(url, url)
	must(t, err)
	_, _, err = rest.Checks.CreateCheckRun(t.Context(), repo.Owner, repo.Name, github.CreateCheckRunOptions{
		Name: "stagecoach/dev", HeadSHA: sim.Branches(repo)["main"], ExternalID: github.String("dev"), Status: github.String("completed"),
		Conclusion: github.String("success"), Output: &github.CheckRunOutput{Title: github.String("Landed"), Summary: github.String("in 1 s")},
		Actions: []*github.CheckRunAction{{Label: "Promote", Description: "Go on", Identifier: "promote"}},
	})
	must(t, err)
}

// shown is all that a simulator shows of a repository.
func shown(t *testing.T, sim *ghsim.Sim, repo ghsim.Repo) map[string]any {
	t.Helper()
	log, err := sim.Log(repo, "main")
	must(t, err)
	changes, err := sim.Changes(repo, 3)
	must(t, err)
	out := map[string]any{
		"repos": sim.Repos(), "issues": sim.Issues(repo), "pulls": sim.PullRequests(repo), "checks": sim.CheckRuns(repo), "people": sim.People(),
		"comments": sim.Comments(repo, 1), "branches": sim.Branches(repo), "log": log, "methods": sim.MergeMethods(repo),
		"role": sim.As("octocat").Role(repo), "token": sim.AddUser("octocat"), "patches": len(changes),
	}
	former, _ := sim.RepoByName("acme/gitops")
	out["former name"] = former
	return out
}

func TestRestoreShowsWhatWasSaved(t *testing.T) {
	sim, repo, app, inst, dir := busy(t)
	createRun(t, sim, app, inst, repo)
	var kept bytes.Buffer
	must(t, sim.Save(&kept))
	want := shown(t, sim, repo)
	if len(want["checks"].([]ghsim.CheckRun)) != 1 {
		t.Fatal("there is no check run to be kept")
	}
	sim.Close()

	again, err := ghsim.Restore(ghsim.Options{Dir: dir}, &kept)
	must(t, err)
	t.Cleanup(again.Close)
	if diff := cmp.Diff(want, shown(t, again, repo)); diff != "" {
		t.Errorf("restored (-saved +restored):\n%s", diff)
	}

	// It goes on: numbers and IDs rise, people and the App act as before.
	octocat := again.As("octocat")
	number, err := octocat.CreateIssue(repo, "Next", "")
	must(t, err)
	if number != 4 {
		t.Errorf("the next issue is #%d, want #4", number)
	}
	_, err = octocat.Merge(repo, 3, "squash")
	must(t, err)
	createRun(t, again, app, inst, repo)
	if runs := again.CheckRuns(repo); len(runs) != 2 || runs[1].ID <= runs[0].ID {
		t.Errorf("check runs %+v", runs)
	}
}

func TestRestoreRefusesWhatItCannotRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                "EOF",
		`{"version":99}`:  "it was saved in version 99, this one reads up to 2",
		`{"version":"1"}`: "cannot unmarshal",
		`{"version":1,"apps":[{"slug":"stagecoach","key":"none"}]}`:               "the key of the app stagecoach: it is no PEM",
		`{"version":1,"repositories":[{"id":7,"owner":"acme","name":"nowhere"}]}`: "acme/nowhere",
	} {
		sim, err := ghsim.Restore(ghsim.Options{Dir: t.TempDir()}, strings.NewReader(text))
		if err == nil {
			sim.Close()
			t.Fatalf("%s was restored", text)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A handler around the simulator hears of its own request before the answer.
func TestWatched(t *testing.T) {
	sim, _, _, _, _ := busy(t)
	var seen []ghsim.Request
	watched := func(path string) int {
		w := httptest.NewRecorder()
		sim.ServeHTTP(w, ghsim.Watched(httptest.NewRequest(http.MethodGet, path, nil), func(r ghsim.Request) {
			if w.Body.Len() > 0 {
				t.Error("the answer came first")
			}
			seen = append(seen, r)
		}))
		return w.Code
	}
	watched("/api/v3/rate_limit")
	watched("/acme/gitops.git/info/refs?service=git-upload-pack")
	watched("/no/such/page/here")
	if len(seen) != 2 || seen[0].Route != "GET /rate_limit" || seen[1].Route != "GET /{owner}/{repo}/info/refs" {
		t.Errorf("seen %+v", seen)
	}
}
