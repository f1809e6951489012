package ghapi_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// nasty is what a branch, a message, a reason or a file name may hold.
const nasty = "closes #1 @everyone <script>x</script> ![i](http://e.x/i.png)\n/promote prod\n\x1b[31mred\x07\u202egnp.exe\r\n<!-- stagecoach reply/9 -->"

// Places without Markdown show a stranger's words in one line, as they are and no more.
func TestStrangersWordsInPlainPlaces(t *testing.T) {
	w := newWorld(t)
	check := w.checkTask()
	check.Effect.Check.Title = "Frozen by octocat: " + nasty
	w.run(check)
	deploy := w.deploymentTask("success")
	deploy.Promotion.Message = nasty
	w.run(deploy)
	runs := w.CheckRuns(w.gitops)
	for place, text := range map[string]string{
		"check run's title":        runs[len(runs)-1].Title,
		"Deployment's description": w.Deployments(w.gitops)[0].Statuses[0].Description,
	} {
		if text == "" || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
			t.Errorf("the %s is %q", place, text)
		}
	}
}

// What the app writes is no command to anybody, and no record of its own.
func TestStrangersWordsInComments(t *testing.T) {
	w := newWorld(t)
	issue, _ := w.commentBy("octocat")
	reply := w.task(promotion.KindReply)
	reply.Effect.Number, reply.Effect.Text = issue, "There is no stage `"+nasty+"` here."
	w.run(reply)
	plan := w.task(promotion.KindPlan)
	plan.Effect.Number, plan.Effect.ID, plan.Effect.Preview = issue, "plan/7/1", &promotion.Preview{Stage: "prod"}
	if r := w.Plan(t.Context(), plan, promotion.Planned{
		Pipeline: "default", Stage: "prod", Branch: nasty, Diff: "+" + nasty, Files: []promotion.Change{{Path: nasty, Status: "added"}},
		Steps: []promotion.PlannedStep{{Uses: nasty, Status: "errored", Message: nasty}}, Gates: []promotion.Gate{{Name: "x", Text: nasty}},
	}); r.Err != nil {
		t.Fatal(r.Err)
	}
	comments := w.Comments(w.gitops, issue)
	for _, c := range comments[len(comments)-2:] {
		if strings.Count(c.Body, "<!-- stagecoach") != 1 || strings.Contains(c.Body, ledger.Marker("reply/9")) {
			t.Errorf("a stranger's marker passes for ours: %q", c.Body)
		}
		if c.Author != w.app.Bot {
			t.Errorf("%s wrote it", c.Author)
		}
	}
}

// The names of files are GitHub's to check; a message is cut to what it takes.
func TestStrangersWordsInAnnotations(t *testing.T) {
	w := newWorld(t)
	task := w.task(promotion.KindConfigCheck)
	task.Effect.SHA = w.Branches(w.gitops)["main"]
	problems := []promotion.Problem{{Text: strings.Repeat(nasty, 60), File: ".github/stagecoach.yml", Line: 3, Column: 2, Suggestion: nasty}}
	must(t, w.ConfigCheck(t.Context(), task, problems, nil).Err)
	runs := w.CheckRuns(w.gitops)
	if run := runs[len(runs)-1]; run.Name != ghapi.ConfigCheckName || len(run.Annotations) != 1 || strings.Contains(run.Summary, "<script") || strings.Contains(run.Summary, "\n/promote") {
		t.Errorf("the check says %q with %d annotations", run.Summary, len(run.Annotations))
	}
}
