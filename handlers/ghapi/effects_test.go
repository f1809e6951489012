package ghapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func (w *world) checkTask() promotion.Task {
	t := w.task(promotion.KindCheck)
	t.Effect.SHA = w.Branches(w.gitops)["main"]
	t.Effect.Check = &promotion.Check{
		Name: "stagecoach/prod", ExternalID: promo, SHA: t.Effect.SHA, Conclusion: "success", Title: "Waiting for merge: all gates are open",
		Actions: []string{"promote", "unknown", "abort"}, Revision: 12,
	}
	return t
}

func TestCheck(t *testing.T) {
	w := newWorld(t)
	task := w.checkTask()
	var got promotion.Result
	w.costs("1 writes, 0 reads", func() { got = w.run(task) })
	run := w.CheckRuns(w.gitops)[0]
	if run.ID != got.CheckID || run.Name != "stagecoach/prod" || run.HeadSHA != task.Effect.SHA || run.ExternalID != promo ||
		run.Status != "completed" || run.Conclusion != "success" || run.Title != task.Effect.Check.Title {
		t.Errorf("GitHub has %+v", run)
	}
	if summary := ledger.CheckSummary(task, ledger.Links{WebURL: w.URL()}); !strings.HasPrefix(run.Summary, summary) || !strings.Contains(run.Summary, "revision 12") {
		t.Errorf("summary %q", run.Summary)
	}
	if run.DetailsURL != w.URL()+"/acme/gitops/issues/7" {
		t.Errorf("details at %q", run.DetailsURL)
	}
	if len(run.Actions) != 2 || run.Actions[0].Identifier != "promote" || run.Actions[1].Identifier != "abort" {
		t.Errorf("buttons %+v", run.Actions)
	}

	task.Effect.Check.ID, task.Effect.Check.Conclusion, task.Effect.Check.Actions = got.CheckID, "", nil
	task.Effect.Check.Title = strings.Repeat("ä", 300)
	w.costs("1 writes, 0 reads", func() { w.run(task) })
	run = w.CheckRuns(w.gitops)[0]
	if run.Status != "in_progress" || run.Conclusion != "" || len(run.Actions) != 0 || len([]rune(run.Title)) != 255 {
		t.Errorf("updated to %+v", run)
	}
}

func TestCheckIsAdopted(t *testing.T) {
	w := newWorld(t)
	other := w.checkTask()
	other.Effect.Check.ExternalID = "another promotion"
	w.run(other)
	again := w.lost(w.checkTask(), "POST */check-runs")
	var got promotion.Result
	w.costs("1 writes, 1 reads", func() { got = w.run(again) })
	if runs := w.CheckRuns(w.gitops); runs[1].ID != got.CheckID || runs[1].ExternalID != promo {
		t.Errorf("took %d of %+v", got.CheckID, runs)
	}
	if slept := w.waits(); len(slept) != 1 || slept[0] != 3*time.Second {
		t.Errorf("waited %v before it believed the list; want 3 s", slept)
	}
	if n := len(w.CheckRuns(w.gitops)); n != 2 {
		t.Errorf("there are %d check runs, want the other one and ours", n)
	}
	w.now = w.now.Add(2 * time.Second)
	w.run(again)
	if slept := w.waits(); len(slept) != 1 || slept[0] != time.Second {
		t.Errorf("waited %v; want the second that is left", slept)
	}
	w.now = w.now.Add(minute)
	w.run(again)
	if slept := w.waits(); slept != nil {
		t.Errorf("waited %v, although the effect is old", slept)
	}
}

func TestACheckRunThatIsGoneIsMadeAnew(t *testing.T) {
	w := newWorld(t)
	task := w.checkTask()
	task.Effect.Check.ID = 42
	if got := w.run(task); got.CheckID == 42 || len(w.CheckRuns(w.gitops)) != 1 {
		t.Errorf("got %+v", got)
	}
}

// The buttons are within GitHub's limits, which the simulator enforces.
func TestAllButtons(t *testing.T) {
	w := newWorld(t)
	for _, pair := range [][]string{{"promote", "approve", "retry", "abort"}, {"abort"}} {
		task := w.checkTask()
		task.Effect.Check.Actions = pair
		w.run(task)
	}
	if runs := w.CheckRuns(w.gitops); len(runs[0].Actions)+len(runs[1].Actions) != 4 {
		t.Errorf("buttons %+v", runs)
	}
}

func TestConfigCheck(t *testing.T) {
	w := newWorld(t)
	task := w.task(promotion.KindConfigCheck)
	task.Effect.Number, task.Effect.SHA = 3, w.Branches(w.gitops)["main"]
	problems := []promotion.Problem{
		{Text: "There is no stage `prd`.", File: ".github/stagecoach.yml", Line: 4, Column: 9, Suggestion: "prod"},
		{Text: "It is empty.", File: ".github/stagecoach/eu.yml"},
		{Text: "Something without a place."},
	}
	w.costs("1 writes, 0 reads", func() { must(t, w.ConfigCheck(t.Context(), task, problems, nil).Err) })
	run := w.CheckRuns(w.gitops)[0]
	if run.Name != ghapi.ConfigCheckName || run.Conclusion != "failure" || run.Title != "3 problems in the pipeline files" || run.ExternalID != task.Effect.ID {
		t.Errorf("GitHub has %+v", run)
	}
	want := []map[string]any{
		{
			"path": ".github/stagecoach.yml", "start_line": 4.0, "end_line": 4.0, "start_column": 9.0, "end_column": 9.0,
			"annotation_level": "failure", "message": "There is no stage `prd`.\nDid you mean prod?",
		},
		{"path": ".github/stagecoach/eu.yml", "start_line": 1.0, "end_line": 1.0, "annotation_level": "failure", "message": "It is empty."},
	}
	if diff := cmp.Diff(want, run.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	task.Effect.Look = true
	w.costs("0 writes, 1 reads", func() { must(t, w.ConfigCheck(t.Context(), task, problems, nil).Err) })

	task.Effect.ID, task.Effect.Look = "config-check/4/abc", false
	many := make([]promotion.Problem, 120)
	for i := range many {
		many[i] = problems[0]
	}
	must(t, w.ConfigCheck(t.Context(), task, many, nil).Err)
	task.Effect.ID = "config-check/5/abc"
	must(t, w.ConfigCheck(t.Context(), task, nil, nil).Err)
	runs := w.CheckRuns(w.gitops)
	if len(runs[1].Annotations) != 50 || runs[2].Conclusion != "success" || runs[2].Annotations != nil {
		t.Errorf("GitHub has %d annotations and %+v", len(runs[1].Annotations), runs[2])
	}
}

// commentBy makes an issue with a comment.
func (w *world) commentBy(login string) (issue int, comment int64) {
	w.t.Helper()
	issue, err := w.As("octocat").CreateIssue(w.gitops, "An issue", "")
	must(w.t, err)
	comment, err = w.As(login).Comment(w.gitops, issue, "/promote prod")
	must(w.t, err)
	return issue, comment
}

func TestReact(t *testing.T) {
	w := newWorld(t)
	issue, comment := w.commentBy("octocat")
	task := w.task(promotion.KindReact)
	task.Effect.Comment = comment
	for _, verdict := range []promotion.Verdict{
		promotion.VerdictSeen, promotion.VerdictStarted, promotion.VerdictDone, promotion.VerdictWrong, promotion.VerdictDenied,
	} {
		task.Effect.Text = string(verdict)
		w.costs("1 writes, 0 reads", func() { w.run(task) })
	}
	w.run(w.lost(task, "POST */reactions"))
	want := []ghsim.Reaction{
		{Author: w.app.Bot, Content: "eyes"}, {Author: w.app.Bot, Content: "rocket"}, {Author: w.app.Bot, Content: "+1"},
		{Author: w.app.Bot, Content: "confused"}, {Author: w.app.Bot, Content: "-1"},
	}
	if diff := cmp.Diff(want, w.Comments(w.gitops, issue)[0].Reactions); diff != "" {
		t.Errorf("reactions (-want +got):\n%s", diff)
	}
	task.Effect.Comment = 1
	task.Effect.SentAt = task.Effect.SentAt.Add(-2 * minute)
	if r := w.Run(t.Context(), task); !promotion.IsTerminal(r.Err) {
		t.Errorf("a deleted comment: %v", r.Err)
	}
}

// Whether somebody's comment was seen and answered before is known by the status of
// the answer and, only then, by one read.
func TestReactTellsOfAnEarlierLife(t *testing.T) {
	w := newWorld(t)
	_, comment := w.commentBy("octocat")
	task := w.task(promotion.KindReact)
	task.Effect.Comment, task.Effect.Text, task.Effect.Earlier = comment, string(promotion.VerdictSeen), true
	var r promotion.Result
	w.costs("1 writes, 0 reads", func() { r = w.run(task) })
	if r.Before || r.Verdict != "" {
		t.Errorf("at first: %+v", r)
	}
	w.costs("1 writes, 1 reads", func() { r = w.run(task) })
	if !r.Before || r.Verdict != "" {
		t.Errorf("seen before: %+v", r)
	}
	verdict := w.task(promotion.KindReact)
	verdict.Effect.Comment, verdict.Effect.Text = comment, string(promotion.VerdictWrong)
	w.run(verdict)
	if r = w.run(task); !r.Before || r.Verdict != promotion.VerdictWrong {
		t.Errorf("answered before: %+v", r)
	}
}

func TestReply(t *testing.T) {
	w := newWorld(t)
	issue, _ := w.commentBy("octocat")
	task := w.task(promotion.KindReply)
	task.Effect.Number, task.Effect.Text = issue, "There is no stage `prd` here. Did you mean `prod`?"
	w.costs("1 writes, 0 reads", func() { w.run(task) })
	got := w.Comments(w.gitops, issue)[1]
	if got.Author != w.app.Bot || got.Body != ledger.Reply(task.Effect.Text, ledger.Marker(task.Effect.ID)) {
		t.Errorf("GitHub has %+v", got)
	}
}

// The comment of an earlier life may be days old, and others have followed.
func TestHistoryIsAdopted(t *testing.T) {
	w := newWorld(t)
	issue, _ := w.commentBy("octocat")
	task := w.task(promotion.KindHistory)
	task.Effect.Number, task.Effect.ID, task.State = issue, "history/default/"+promo, w.state(1)
	task.Effect.SentAt = w.now.Add(-72 * time.Hour)
	w.costs("1 writes, 0 reads", func() { w.run(task) })
	for range 3 {
		_, err := w.As("octocat").Comment(w.gitops, issue, "fine")
		must(t, err)
	}
	task.Effect.Look = true
	w.API = w.newAPI()
	w.costs("0 writes, 1 reads", func() { w.run(task) })
	other := task
	other.Effect.ID = "history/billing/" + promo
	w.run(other)
	if n := len(w.Comments(w.gitops, issue)); n != 6 {
		t.Errorf("%d comments, want the person's four and one for each history", n)
	}
}

func TestReplyIsAdopted(t *testing.T) {
	w := newWorld(t)
	issue, _ := w.commentBy("octocat")
	task := w.task(promotion.KindReply)
	task.Effect.Number, task.Effect.Text = issue, "Done."
	// Anybody can copy a marker: it must not keep us from answering.
	_, err := w.As("octocat").Comment(w.gitops, issue, "Done. "+ledger.Marker(task.Effect.ID))
	must(t, err)
	task.Effect.Look = true
	w.run(task)
	w.waits()
	task.Effect.Look = false
	task.Effect.ID = "reply/2"
	again := w.lost(task, "POST */comments")
	w.costs("0 writes, 1 reads", func() { w.run(again) })
	if slept := w.waits(); len(slept) != 1 || slept[0] != 3*time.Second {
		t.Errorf("waited %v before it believed the list", slept)
	}
	if n := len(w.Comments(w.gitops, issue)); n != 4 {
		t.Errorf("there are %d comments, want two people's and two answers", n)
	}
}

func TestPermission(t *testing.T) {
	w := newWorld(t)
	must(t, w.SetPermission(w.gitops, "monalisa", "triage"))
	_, err := w.API.Repository(t.Context(), w.repo()) // GitHub knows the token
	must(t, err)
	for login, want := range map[string]promotion.Result{
		"octocat":  {Permission: "write", Role: "maintain"},
		"monalisa": {Permission: "read", Role: "triage"},
		"hubot":    {Permission: "none", Role: "none"},
		"a/../b?c": {Permission: "none", Role: "none"},
	} {
		task := w.task(promotion.KindPermission)
		task.Effect.Login = login
		want.Effect = task.Effect.ID
		var got promotion.Result
		if cost := w.counted(func() { got = w.run(task) }); cost != "0 writes, 1 reads" {
			t.Errorf("%s cost %s", login, cost)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", login, diff)
		}
	}
}

func TestWhatGitHubsAPIDoesNot(t *testing.T) {
	w := newWorld(t)
	unknown := w.task(promotion.KindSource)
	for name, task := range map[string]promotion.Task{
		"a kind of others": unknown,
		"a step of others": w.step("git-push", ""),
		"no step":          w.task(promotion.KindStep),
		"no check run":     w.task(promotion.KindCheck),
		"no pull request":  w.task(promotion.KindPullRequest),
	} {
		if r := w.Run(t.Context(), task); !promotion.IsTerminal(r.Err) {
			t.Errorf("%s: %v", name, r.Err)
		}
	}
	noWhere := w.task(promotion.KindReact)
	noWhere.Repo.Installation = 0
	if r := w.Run(t.Context(), noWhere); r.Err == nil || promotion.IsTerminal(r.Err) {
		t.Errorf("an unknown installation: %v", r.Err)
	}
}
