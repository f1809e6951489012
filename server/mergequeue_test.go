package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// queued is a world whose main takes merges through a merge queue alone, which
// asks for the checks. prod's pull request is merged by the app.
func queued(t *testing.T, config string, checks ...string) *servertest.World {
	t.Helper()
	files := servertest.Files()
	files[".github/stagecoach.yml"] = strings.Replace(config, "  - name: prod\n", "  - name: prod\n    pullRequest: {merge: auto}\n", 1)
	w := servertest.New(t, files)
	rules := ghsim.Rules{MergeQueue: true, Bypass: []string{"octocat"}}
	for _, name := range checks {
		rules.Checks = append(rules.Checks, ghsim.RequiredCheck{Name: name})
	}
	if _, err := w.Sim.AddRuleset(w.Repo, "main", rules); err != nil {
		t.Fatal(err)
	}
	w.StartServer()
	w.InstallApp()
	return w
}

// TestMergeQueue lets the app merge where only a merge queue may: it puts its pull
// request there, and reports its check on the queue's commit, which nothing else does.
func TestMergeQueue(t *testing.T) {
	t.Parallel()
	w := queued(t, redoConfig, "stagecoach/prod")
	check := until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	approve(t, w, check.HeadSHA)
	until(w, "prod", "success", "Landed in ")
	w.Until("the branches are gone", func() bool { return len(w.Sim.Branches(w.Repo)) == 1 })
	if tag := tagOf(w.File(prodValues)); tag == "initial" {
		t.Error("nothing landed")
	}
}

// TestMergeQueueOfOthers lets a person's pull request through the queue, on which
// the check of a stage is required.
func TestMergeQueueOfOthers(t *testing.T) {
	t.Parallel()
	w := queued(t, redoConfig, "stagecoach/prod")
	until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	octocat := w.Sim.As("octocat")
	if _, err := octocat.Commit(w.Repo, "feature", map[string]string{"docs/a.md": "a\n"}, "Write"); err != nil {
		t.Fatal(err)
	}
	number, err := octocat.CreatePR(w.Repo, "feature", "main", "Write", "")
	if err != nil {
		t.Fatal(err)
	}
	w.Until("it may be queued", func() bool { return octocat.Enqueue(w.Repo, number) == nil })
	w.Until("it is merged", func() bool {
		for _, pr := range w.Sim.PullRequests(w.Repo) {
			if pr.Number == number {
				return pr.Merged
			}
		}
		return false
	})
}

// TestTakenOutOfTheQueue has another app's check fail in the queue: it is told, and
// nothing puts the pull request back before something changes.
func TestTakenOutOfTheQueue(t *testing.T) {
	t.Parallel()
	w := queued(t, redoConfig, "stagecoach/prod", "ci")
	bot, err := w.Sim.AddBot("ci", map[string]string{"checks": "write", "statuses": "write"}, w.Repo)
	if err != nil {
		t.Fatal(err)
	}
	check := until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	report(t, w, bot, check.HeadSHA, "ci", "success")
	approve(t, w, check.HeadSHA)
	group := ""
	w.Until("the queue has its branch", func() bool {
		for branch, sha := range w.Sim.Branches(w.Repo) {
			if strings.HasPrefix(branch, "gh-readonly-queue/") {
				group = sha
			}
		}
		return group != ""
	})
	report(t, w, bot, group, "ci", "failure")
	w.Until("the check on its head tells", func() bool {
		return slices.ContainsFunc(w.Sim.CheckRuns(w.Repo), func(c ghsim.CheckRun) bool {
			return c.HeadSHA == check.HeadSHA && c.Title == "Taken out of the merge queue: a required check failed there"
		})
	})
	w.Settle()
	for branch := range w.Sim.Branches(w.Repo) {
		if strings.HasPrefix(branch, "gh-readonly-queue/") {
			t.Errorf("it is in the queue again: %s", branch)
		}
	}
}

// TestOneRuleForSeveralStages requires the checks of two stages that share main: a
// pull request of the one must not wait for the check of the other.
func TestOneRuleForSeveralStages(t *testing.T) {
	t.Parallel()
	config := redoConfig + strings.ReplaceAll(redoConfig[strings.Index(redoConfig, "  - name: prod"):], "prod", "staging")
	files := servertest.Files()
	files[".github/stagecoach.yml"] = config
	w := servertest.New(t, files)
	rules := ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "stagecoach/prod"}, {Name: "stagecoach/staging"}}, Bypass: []string{"octocat"}}
	if _, err := w.Sim.AddRuleset(w.Repo, "main", rules); err != nil {
		t.Fatal(err)
	}
	w.StartServer()
	w.InstallApp()
	w.Until("both wait for approvals", func() bool {
		n := 0
		for _, c := range w.Sim.CheckRuns(w.Repo) {
			if c.Conclusion == "action_required" && c.Title == "Waiting for 1 of 1 approval" {
				n++
			}
		}
		return n == 2
	})
	w.Settle()
	for _, pr := range w.Open() {
		if problem := w.Sim.MergeProblem(w.Repo, pr.Number, "monalisa"); !strings.Contains(problem, "failing") {
			t.Errorf("#%d: %s", pr.Number, problem)
		}
		if _, err := w.Sim.As("octocat").Approve(w.Repo, pr.Number); err != nil {
			t.Fatal(err)
		}
	}
	w.Until("GitHub lets both be merged", func() bool {
		return !slices.ContainsFunc(w.Open(), func(pr ghsim.PullRequest) bool { return w.Sim.MergeProblem(w.Repo, pr.Number, "monalisa") != "" })
	})
}
