package ghsim_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// gated is a simulator with what gates and rules look at, and its directory.
func gated(t *testing.T) (sim *ghsim.Sim, repo ghsim.Repo, dir string) {
	t.Helper()
	sim, repo, _, inst, dir := busy(t)
	own, err := sim.AsInstallation(inst)
	must(t, err)
	ci, err := sim.AddBot("ci", nil, repo)
	must(t, err)
	sim.AddTeam("acme", "sre", "hubot")
	must(t, sim.InviteToTeam("acme", "sre", "newcomer"))
	must(t, sim.SetTeamPermission(repo, "sre", "write"))
	must(t, sim.SetCustomRole(repo, "releaser", "Release manager", "write"))
	must(t, sim.AllowAutoMerge(repo, true))
	_, err = sim.AddRuleset(repo, "main", ghsim.Rules{Approvals: 2, Checks: []ghsim.RequiredCheck{{Name: "build"}}, Bypass: []string{"boss"}})
	must(t, err)
	head := sim.Branches(repo)["open"]
	must(t, own.EnableAutoMerge(repo, 3, "squash"))
	must(t, ci.SetStatus(repo, head, "build", "pending", "runs"))
	run, err := ci.Check(repo, head, "lint", "failure")
	must(t, err)
	must(t, sim.As("octocat").RerunCheck(repo, run))
	_, err = sim.As("hubot").Approve(repo, 3)
	must(t, err)
	must(t, sim.As("octocat").Do("POST", "/repos/acme/deploy/labels", map[string]string{"name": "hot", "color": "ff0000"}, nil))
	must(t, sim.As("octocat").Do("POST", "/repos/acme/deploy/pulls/3/requested_reviewers", map[string][]string{"reviewers": {"releaser"}, "team_reviewers": {"sre"}}, nil))
	must(t, ci.Do("POST", "/repos/acme/deploy/deployments", map[string]any{"ref": "main", "auto_merge": false, "required_contexts": []string{}, "payload": map[string]int{"n": 1}}, nil))
	fork, err := sim.As("hubot").Fork(repo)
	must(t, err)
	_, err = sim.As("hubot").Commit(fork, "fix", map[string]string{"b": "3\n"}, "Fix")
	must(t, err)
	_, err = sim.As("hubot").CreatePR(repo, "hubot:fix", "main", "Fix", "")
	must(t, err)
	return sim, repo, dir
}

// What is saved again after a restore is the same, and it counts as before.
func TestRestoreKeepsWhatGatesLookAt(t *testing.T) {
	sim, repo, dir := gated(t)
	want := savedBy(t, sim)
	raw, err := json.Marshal(want)
	must(t, err)
	problem := sim.MergeProblem(repo, 3, "octocat")
	sim.Close()

	again, err := ghsim.Restore(ghsim.Options{Dir: dir}, bytes.NewReader(raw))
	must(t, err)
	t.Cleanup(again.Close)
	if diff := cmp.Diff(want, savedBy(t, again)); diff != "" {
		t.Errorf("restored (-saved +restored):\n%s", diff)
	}
	if got := again.MergeProblem(repo, 3, "octocat"); got != problem || problem == "" {
		t.Errorf("the merge is held by %q, was by %q", got, problem)
	}
	if got := again.As("hubot").Role(repo) + " " + again.As("newcomer").Role(repo); got != "write none" {
		t.Errorf("roles by team: %s", got)
	}
	if p := again.PullRequests(repo)[2]; p.Fork != "hubot" {
		t.Errorf("the pull request from a fork: %+v", p)
	}
	// It goes on: the bot reports, and with the second approval the merge that waits happens.
	ci, err := again.AddBot("ci", nil, repo)
	must(t, err)
	must(t, ci.SetStatus(repo, again.Branches(repo)["open"], "build", "success", ""))
	_, err = again.As("releaser").Approve(repo, 3)
	must(t, err)
	must(t, again.WaitIdle(t.Context()))
	if p := again.PullRequests(repo)[1]; !p.Merged || p.MergedBy != "stagecoach[bot]" {
		t.Errorf("the wish to merge was lost: %+v", p)
	}
}

// A file of the first form, which knew nothing of all this, can be read.
func TestRestoreReadsTheFirstForm(t *testing.T) {
	sim, repo, _, _, dir := busy(t)
	old := savedBy(t, sim)
	sim.Close()
	old["version"] = 1
	repos, _ := old["repositories"].([]any)
	for _, key := range []string{"custom", "teams", "looks", "statuses", "rulesets"} {
		delete(repos[0].(map[string]any), key)
	}
	raw, err := json.Marshal(old)
	must(t, err)
	again, err := ghsim.Restore(ghsim.Options{Dir: dir}, bytes.NewReader(raw))
	must(t, err)
	t.Cleanup(again.Close)
	must(t, again.SetCustomRole(repo, "releaser", "Release manager", "write"))
	again.AddTeam("acme", "sre", "hubot")
	must(t, again.SetTeamPermission(repo, "sre", "write"))
	must(t, again.As("hubot").SetStatus(repo, again.Branches(repo)["main"], "ci", "success", ""))
}

func savedBy(t *testing.T, sim *ghsim.Sim) map[string]any {
	t.Helper()
	var kept bytes.Buffer
	must(t, sim.Save(&kept))
	var out map[string]any
	must(t, json.Unmarshal(kept.Bytes(), &out))
	return out
}
