package ghsim_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// A merge is refused until all that the base's rules want is there, in GitHub's words.
func TestMergeObeysRules(t *testing.T) {
	w := newWorld(t)
	ci, err := w.AddBot("ci", nil, w.repo)
	must(t, err)
	must(t, w.SetPermission(w.repo, "hubot", "write"))
	must(t, w.SetPermission(w.repo, "reader", "read"))
	number, octocat := w.pullRequest("next"), w.As("octocat")
	_, err = w.AddRuleset(w.repo, "~DEFAULT_BRANCH", ghsim.Rules{
		Checks: []ghsim.RequiredCheck{{Name: "build"}}, Strict: true, Approvals: 1, DismissStale: true, LastPush: true, Methods: []string{"squash"},
	})
	must(t, err)
	refused := func(method string, want ...string) {
		t.Helper()
		_, err := octocat.Merge(w.repo, number, method)
		if refusal(err) != http.StatusMethodNotAllowed {
			t.Fatalf("merge: %v, want 405", err)
		}
		for _, text := range append(want, "Repository rule violations found") {
			quoted, _ := json.Marshal(text)
			if !strings.Contains(err.Error(), strings.Trim(string(quoted), `"`)) {
				t.Errorf("%v, want %s", err, text)
			}
		}
	}
	head := func() string { return w.Branches(w.repo)["next"] }
	refused("merge", "Merge commits are not allowed", "At least 1 approving review is required", `Required status check "build" is expected.`)
	_, err = w.As("reader").Approve(w.repo, number)
	must(t, err)
	refused("squash", "At least 1 approving review is required by reviewers with write access.")
	_, err = w.As("hubot").RequestChanges(w.repo, number, "no")
	must(t, err)
	refused("squash", "Changes have been requested")
	_, err = w.As("hubot").Approve(w.repo, number)
	must(t, err)
	run, err := ci.StartCheck(w.repo, head(), "build")
	must(t, err)
	refused("squash", `Required status check "build" is pending.`)
	must(t, ci.EndCheck(w.repo, run, "failure"))
	refused("squash", `Required status check "build" is failing.`)
	must(t, ci.EndCheck(w.repo, run, "neutral"))
	must(t, octocat.SetStatus(w.repo, head(), "build", "failure", ""))
	refused("squash", `Required status check "build" is failing.`)
	must(t, octocat.SetStatus(w.repo, head(), "build", "success", ""))
	_, err = octocat.Commit(w.repo, "next", map[string]string{"more": "more"}, "More")
	must(t, err)
	refused("squash", "At least 1 approving review is required", "is expected")
	if all := w.Reviews(w.repo, number); all[len(all)-1].State != "DISMISSED" {
		t.Errorf("stale approvals: %+v", all)
	}
	_, err = w.As("hubot").Approve(w.repo, number)
	must(t, err)
	_, err = ci.Check(w.repo, head(), "build", "success")
	must(t, err)
	if _, err := octocat.Merge(w.repo, number, "squash"); err != nil {
		t.Errorf("all is there: %v", err)
	}
}

func TestStrictChecksWantTheBase(t *testing.T) {
	w := newWorld(t)
	number, octocat := w.pullRequest("next"), w.As("octocat")
	_, err := octocat.Commit(w.repo, "main", map[string]string{"a": "b"}, "Base moves")
	must(t, err)
	must(t, octocat.SetStatus(w.repo, w.Branches(w.repo)["next"], "ci", "success", ""))
	must(t, w.Protect(w.repo, "main", ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "ci"}}, Strict: true}))
	if _, err := octocat.Merge(w.repo, number, "merge"); refusal(err) != 405 || !strings.Contains(err.Error(), "out of date") {
		t.Errorf("behind: %v", err)
	}
	w.state(number, "behind")
	must(t, octocat.Do("PUT", "/repos/acme/gitops/pulls/1/update-branch", nil, nil))
	w.state(number, "blocked")
	must(t, octocat.SetStatus(w.repo, w.Branches(w.repo)["next"], "ci", "success", ""))
	w.state(number, "clean")
	must(t, octocat.SetStatus(w.repo, w.Branches(w.repo)["next"], "lint", "pending", ""))
	w.state(number, "unstable")
	_, err = octocat.Merge(w.repo, number, "merge")
	must(t, err)
}

func (w *world) state(number int, want string) {
	w.t.Helper()
	for range 2 { // the first read does not know
		if _, _, err := w.rest.PullRequests.Get(context.Background(), "acme", "gitops", number); err != nil {
			w.t.Fatal(err)
		}
	}
	pull, _, err := w.rest.PullRequests.Get(context.Background(), "acme", "gitops", number)
	must(w.t, err)
	if pull.GetMergeableState() != want {
		w.t.Errorf("state %s, want %s", pull.GetMergeableState(), want)
	}
}

// A required check that is pinned to an App counts only from that App.
func TestRequiredCheckOfAnApp(t *testing.T) {
	w := newWorld(t)
	number, octocat, head := w.pullRequest("next"), w.As("octocat"), w.Branches(w.repo)["next"]
	fake, err := w.AddBot("fake", nil, w.repo)
	must(t, err)
	_, err = w.AddRuleset(w.repo, "main", ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "stagecoach/prod", App: w.app.ID}}})
	must(t, err)
	_, err = fake.Check(w.repo, head, "stagecoach/prod", "success")
	must(t, err)
	must(t, octocat.SetStatus(w.repo, head, "stagecoach/prod", "success", ""))
	if _, err := octocat.Merge(w.repo, number, "merge"); refusal(err) != 405 {
		t.Errorf("a check of somebody else counted: %v", err)
	}
	own, err := w.AsInstallation(w.inst)
	must(t, err)
	_, err = own.Check(w.repo, head, "stagecoach/prod", "success")
	must(t, err)
	_, err = octocat.Merge(w.repo, number, "merge")
	must(t, err)
}

// Several checks that are missing are counted.
func TestSeveralMissingChecks(t *testing.T) {
	w := newWorld(t)
	number, head := w.pullRequest("next"), w.Branches(w.repo)["next"]
	must(t, w.Protect(w.repo, "main", ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "a"}, {Name: "b"}, {Name: "c"}}}))
	must(t, w.As("octocat").SetStatus(w.repo, head, "a", "success", ""))
	must(t, w.As("octocat").SetStatus(w.repo, head, "b", "error", ""))
	_, err := w.As("octocat").Merge(w.repo, number, "merge")
	if err == nil || !strings.Contains(err.Error(), "2 of 3 required status checks have not succeeded: 1 failing, 1 expected.") {
		t.Errorf("%v", err)
	}
}

func TestAdminsAndBypass(t *testing.T) {
	w := newWorld(t)
	must(t, w.SetPermission(w.repo, "boss", "admin"))
	rules := ghsim.Rules{Approvals: 1}
	must(t, w.Protect(w.repo, "main", rules))
	if _, err := w.As("boss").Commit(w.repo, "main", map[string]string{"a": "1"}, "By an admin"); err != nil {
		t.Errorf("protection bound an admin: %v", err)
	}
	rules.AdminsToo = true
	must(t, w.Protect(w.repo, "main", rules))
	if _, err := w.As("boss").Commit(w.repo, "main", map[string]string{"a": "2"}, "By an admin"); err == nil || !strings.Contains(err.Error(), "GH006") {
		t.Errorf("protection for all did not bind an admin: %v", err)
	}
	must(t, w.RemoveRules(w.repo, "main"))
	_, err := w.AddRuleset(w.repo, "main", ghsim.Rules{PullRequest: true, Bypass: []string{"stagecoach[bot]"}})
	must(t, err)
	own, err := w.AsInstallation(w.inst)
	must(t, err)
	if _, err := own.Commit(w.repo, "main", map[string]string{"a": "3"}, "By the App"); err != nil {
		t.Errorf("an App on the bypass list: %v", err)
	}
	if _, err := w.As("boss").Commit(w.repo, "main", map[string]string{"a": "4"}, "By an admin"); err == nil || !strings.Contains(err.Error(), "GH013") {
		t.Errorf("a ruleset did not bind an admin: %v", err)
	}
}

// git push shows the refusal, and nothing of the push happened.
func TestPushIsRefused(t *testing.T) {
	w := newWorld(t)
	dir := w.clone("octocat", w.AddUser("octocat"))
	before := w.Branches(w.repo)["main"]
	w.mustGit(dir, "commit", "-q", "--allow-empty", "-m", "Direct")
	must(t, w.Protect(w.repo, "main", ghsim.Rules{PullRequest: true}))
	w.take()
	out, err := w.git(dir, "push", "origin", "HEAD:main", "HEAD:other")
	for _, want := range []string{"remote: error: GH006: Protected branch update failed for refs/heads/main.", "- Changes must be made through a pull request.",
		"[remote rejected] HEAD -> main (protected branch hook declined)"} {
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("%v\n%s\nwant %s", err, out, want)
		}
	}
	must(t, w.RemoveRules(w.repo, "main"))
	_, err = w.AddRuleset(w.repo, "ma*", ghsim.Rules{NoForcePush: true, NoDeletion: true, LinearHistory: true, Checks: []ghsim.RequiredCheck{{Name: "ci"}}})
	must(t, err)
	w.mustGit(dir, "commit", "-q", "--amend", "--allow-empty", "-m", "Other")
	out, err = w.git(dir, "push", "origin", "HEAD:main")
	for _, want := range []string{"remote: error: GH013: Repository rule violations found for refs/heads/main.", "rules?ref=refs%2Fheads%2Fmain",
		`- Required status check "ci" is expected.`, "(push declined due to repository rule violations)"} {
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("%v\n%s\nwant %s", err, out, want)
		}
	}
	if out, err := w.git(dir, "push", "origin", ":main"); err == nil || !strings.Contains(out, "Cannot delete this branch") {
		t.Errorf("deletion: %v\n%s", err, out)
	}
	if got := w.Branches(w.repo); got["main"] != before || got["other"] != "" || len(w.events()) != 0 {
		t.Errorf("something of a refused push happened: %v", got)
	}
	tip := w.mustGit(dir, "rev-parse", "HEAD")
	w.mustGit(dir, "push", "-q", "origin", "HEAD:side")
	must(t, w.As("octocat").SetStatus(w.repo, tip, "ci", "success", ""))
	w.mustGit(dir, "push", "-q", "origin", "HEAD:main")
	w.mustGit(dir, "commit", "-q", "--amend", "--allow-empty", "-m", "Third")
	if out, err := w.git(dir, "push", "-f", "origin", "HEAD:main"); err == nil || !strings.Contains(out, "Cannot force-push to this branch") {
		t.Errorf("force push: %v\n%s", err, out)
	}
}

func TestLinearHistory(t *testing.T) {
	w := newWorld(t)
	number := w.pullRequest("next")
	dir := w.clone("octocat", w.AddUser("octocat"))
	w.mustGit(dir, "merge", "-q", "--no-ff", "-m", "Merge", "origin/next")
	_, err := w.AddRuleset(w.repo, "~ALL", ghsim.Rules{LinearHistory: true})
	must(t, err)
	if out, err := w.git(dir, "push", "origin", "HEAD:main"); err == nil || !strings.Contains(out, "must not contain merge commits") {
		t.Errorf("push of a merge: %v\n%s", err, out)
	}
	if _, err := w.As("octocat").Merge(w.repo, number, "merge"); refusal(err) != 405 {
		t.Errorf("merge commit: %v", err)
	}
	_, err = w.As("octocat").Merge(w.repo, number, "squash")
	must(t, err)
}

func TestRulesOfABranch(t *testing.T) {
	w := newWorld(t)
	id, err := w.AddRuleset(w.repo, "release/**", ghsim.Rules{Approvals: 2, NoDeletion: true, Checks: []ghsim.RequiredCheck{{Name: "ci", App: 7}}})
	must(t, err)
	must(t, w.Protect(w.repo, "release/1", ghsim.Rules{PullRequest: true}))
	read := func(branch string) []map[string]any {
		var out []map[string]any
		must(t, w.As("octocat").Do("GET", "/repos/acme/gitops/rules/branches/"+branch, nil, &out))
		return out
	}
	var types []string
	for _, rule := range read("release/1") {
		types = append(types, rule["type"].(string))
		if rule["ruleset_id"] != float64(id) {
			t.Errorf("%v", rule)
		}
	}
	if !slices.Equal(types, []string{"deletion", "pull_request", "required_status_checks"}) {
		t.Errorf("types %v", types)
	}
	if got := read("main"); len(got) != 0 {
		t.Errorf("main: %v", got)
	}
	if got := read("release/1/2"); len(got) != 3 {
		t.Errorf("two stars: %v", got)
	}
	permissions := allPermissions()
	delete(permissions, "administration")
	must(t, w.SetInstallationPermissions(w.inst, permissions))
	if got, _, _ := w.send("GET", gitopsPath+"/branches/main/protection", w.token(), ""); got != 403 {
		t.Errorf("protection without administration: read: %d", got)
	}
	must(t, w.SetPermission(w.repo, "boss", "admin"))
	if err := w.As("boss").Do("GET", "/repos/acme/gitops/branches/main/protection", nil, nil); refusal(err) != 404 {
		t.Errorf("an unprotected branch: %v", err)
	}
}

// Removing a branch by REST obeys rules too.
func TestRestObeysRules(t *testing.T) {
	w := newWorld(t)
	_, err := w.As("octocat").Commit(w.repo, "release", map[string]string{"a": "b"}, "Release")
	must(t, err)
	_, err = w.AddRuleset(w.repo, "release", ghsim.Rules{NoDeletion: true})
	must(t, err)
	if err := w.As("octocat").DeleteBranch(w.repo, "release"); refusal(err) != 422 || !strings.Contains(err.Error(), "Cannot delete this branch") {
		t.Errorf("%v", err)
	}
}
