package ghapi_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

const mergePull = "PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge"

// mergeTask is git-merge-pr of a pull request that was opened.
func (w *world) mergeTask(config string) promotion.Task {
	w.t.Helper()
	open, _ := w.openTask()
	pull := w.run(open).PullRequest
	t := w.step("git-merge-pr", config)
	t.Promotion.Pushed, t.Promotion.Commit, t.Promotion.PullRequest = open.Promotion.Pushed, open.Promotion.Commit, pull
	return t
}

func TestMergePullRequest(t *testing.T) {
	w := newWorld(t)
	task := w.mergeTask("")
	var got promotion.Result
	w.costs("1 writes, 1 reads", func() { got = w.run(task) })
	if got.Phase != promotion.StepSucceeded || got.PullRequest.State != "merged" || got.Landed == "" {
		t.Fatalf("got %+v", got)
	}
	log, err := w.Log(w.gitops, "main")
	must(t, err)
	if log[0].SHA != got.Landed || promotion.Trailer(log[0].Message, promotion.TrailerPromotion) != promo {
		t.Errorf("main has %+v, want the squash %s with the trailers", log[0], got.Landed)
	}
	w.costs("0 writes, 1 reads", func() { got = w.run(task) })
	if got.Phase != promotion.StepSucceeded || got.Landed != log[0].SHA {
		t.Errorf("once more gave %+v, want the merge adopted", got)
	}
}

func TestMergeIsAdoptedWhenItsAnswerIsLost(t *testing.T) {
	w := newWorld(t)
	again := w.lost(w.mergeTask(""), mergePull)
	if got := w.run(again); got.PullRequest.State != "merged" || got.Landed == "" {
		t.Errorf("got %+v", got)
	}
}

func TestMergeOnlyLooksWhileAGateIsShut(t *testing.T) {
	w := newWorld(t)
	task := w.mergeTask("")
	task.Effect.Hold = true
	w.costs("0 writes, 1 reads", func() {
		if got := w.run(task); got.Phase != promotion.StepWaiting {
			t.Errorf("got %+v", got)
		}
	})
}

func TestMergeWaitsForAHeadThatWasNotJudged(t *testing.T) {
	w := newWorld(t)
	task := w.mergeTask("")
	_, err := w.As("octocat").Commit(w.gitops, task.Promotion.Pushed, map[string]string{"a": "mine"}, "Mine")
	must(t, err)
	w.costs("0 writes, 1 reads", func() {
		if got := w.run(task); got.Phase != promotion.StepWaiting || got.PullRequest.Head == task.Promotion.PullRequest.Head {
			t.Errorf("got %+v, want a wait that tells the new head", got)
		}
	})
}

func TestMergeWaitsForWhatGitHubAsks(t *testing.T) {
	checks := ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "build"}}}
	for name, c := range map[string]struct {
		config string
		set    func(w *world)
		phase  promotion.StepPhase
		says   string
	}{
		"a required check":           {"", func(w *world) { must(w.t, w.Protect(w.gitops, "main", checks)) }, promotion.StepWaiting, "Waiting until GitHub allows the merge: "},
		"a required check, no wait":  {`{"wait":false}`, func(w *world) { must(w.t, w.Protect(w.gitops, "main", checks)) }, promotion.StepFailed, "Waiting until GitHub allows the merge: "},
		"a method that is forbidden": {`{"mergeMethod":"merge"}`, func(w *world) { must(w.t, w.Protect(w.gitops, "main", ghsim.Rules{LinearHistory: true})) }, promotion.StepWaiting, "Waiting until GitHub allows the merge: "},
		"a conflict":                 {"", func(w *world) { w.change(map[string]string{"envs/prod/values.yaml": "tag: 9\n"}) }, promotion.StepWaiting, "Conflicts with main"},
		"an up-to-date branch":       {"", func(w *world) { w.strict() }, promotion.StepWaiting, "Must be up to date with main"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			task := w.mergeTask(c.config)
			c.set(w)
			w.workedOut()
			if got := w.run(task); got.Phase != c.phase || !strings.HasPrefix(got.Message, c.says) {
				t.Errorf("got %s: %q, want %s: %q", got.Phase, got.Message, c.phase, c.says)
			}
		})
	}
}

// workedOut lets GitHub work out whether the pull request can be merged.
func (w *world) workedOut() {
	w.t.Helper()
	for range 2 {
		w.run(promotion.Task{Effect: promotion.Effect{ID: "look", Kind: promotion.KindStep, Hold: true, SentAt: w.now}, Repo: w.repo(),
			Step: &promotion.Step{Uses: "git-merge-pr"}, Config: []byte(`{"prNumber":1}`), Promotion: &promotion.Promotion{}})
	}
}

func (w *world) change(files map[string]string) {
	w.t.Helper()
	_, err := w.As("octocat").Commit(w.gitops, "main", files, "Change it")
	must(w.t, err)
}

// strict demands a branch that is up to date, and a check that is green.
func (w *world) strict() {
	w.t.Helper()
	bot, err := w.AddBot("builder", map[string]string{"checks": "write"}, w.gitops)
	must(w.t, err)
	_, err = bot.Check(w.gitops, w.PullRequests(w.gitops)[0].HeadSHA, "build", "success")
	must(w.t, err)
	w.change(map[string]string{"other": "x"})
	must(w.t, w.Protect(w.gitops, "main", ghsim.Rules{Strict: true, Checks: []ghsim.RequiredCheck{{Name: "build"}}}))
}

func TestMergeIsTriedAgainWhenTheBaseMoved(t *testing.T) {
	w := newWorld(t)
	task := w.mergeTask("")
	w.Fault(ghsim.Fault{Route: mergePull, Status: http.StatusMethodNotAllowed, Body: `{"message":"Base branch was modified. Review and try the merge again."}`})
	r := w.Run(t.Context(), task)
	if !errors.Is(r.Err, promotion.ErrRaced) || !strings.HasPrefix(r.Err.Error(), "main moved while #") {
		t.Fatalf("got %+v, want a race", r)
	}
	if got := w.run(task); got.Landed == "" {
		t.Errorf("got %+v", got)
	}
}

func TestMergeWaitsUntilGitHubKnowsWhetherItCan(t *testing.T) {
	w := newWorld(t)
	w.SetMergeableDelay(1 << 40)
	task := w.mergeTask("")
	w.strict()
	r := w.Run(t.Context(), task)
	if !errors.Is(r.Err, promotion.ErrRaced) || !strings.HasPrefix(r.Err.Error(), "GitHub does not know yet whether #") {
		t.Errorf("got %+v, want a race", r)
	}
}

func TestPullRequestGetsLabelsAndReviewers(t *testing.T) {
	w := newWorld(t)
	w.AddUser("monalisa")
	must(t, w.SetPermission(w.gitops, "monalisa", "write"))
	w.AddTeam("acme", "sre", "monalisa")
	must(t, w.SetTeamPermission(w.gitops, "sre", "write"))
	task, _ := w.openTask()
	task.Promotion.Plan.PullRequest = promotion.PullRequestOptions{Labels: []string{"promotion"}, Reviewers: []string{"monalisa"}, TeamReviewers: []string{"sre"}}
	w.costs("3 writes, 0 reads", func() {
		if got := w.run(task); got.Message != "opened #1" {
			t.Errorf("got %q", got.Message)
		}
	})
	task.Promotion.Plan.PullRequest.Reviewers = []string{"nobody-knows"}
	if got := w.run(task); got.Phase != promotion.StepSucceeded || !strings.Contains(got.Message, "without its reviewers (GitHub says: ") {
		t.Errorf("got %s: %q, want the pull request to stand and the message to say what it lacks", got.Phase, got.Message)
	}
}
