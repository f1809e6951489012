package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// ask comments and waits for the last reactions.
func ask(t *testing.T, w *servertest.World, by string, number int, comment, reactions string) {
	t.Helper()
	id, err := w.Sim.As(by).Comment(w.Repo, number, comment)
	if err != nil {
		t.Fatal(err)
	}
	w.Until("the reactions on "+comment+" are "+reactions, func() bool { return strings.Join(w.Reactions(number, id), " ") == reactions })
	w.Settle() // the answer may come after the reactions
}

// lastAnswer is the newest comment of the app on an issue or pull request.
func lastAnswer(t *testing.T, w *servertest.World, number int) string {
	t.Helper()
	all := w.Answers(number)
	if len(all) == 0 {
		t.Fatal("there is no answer")
	}
	return all[len(all)-1]
}

// changed are the lines of a diff that say what changes.
func changed(diff string) []string {
	return slices.DeleteFunc(strings.Split(diff, "\n"), func(l string) bool {
		return !strings.HasPrefix(l, "+") && !strings.HasPrefix(l, "-") || strings.HasPrefix(l, "+++") || strings.HasPrefix(l, "---")
	})
}

func TestAPlanShowsWhatThePromotionDoes(t *testing.T) {
	t.Parallel()
	w := opened(t)
	w.Settle()
	issue, _ := w.TrackingIssue()
	branches := w.Sim.Branches(w.Repo)
	mark := w.Sim.Mark()
	ask(t, w, "octocat", issue.Number, "/plan prod", "+1 eyes")
	w.Settle()
	cost := w.Since(mark)
	got := lastAnswer(t, w, issue.Number)
	for _, words := range []string{"**Plan:** **prod** ← ", "**What would hold it up:**", "Not yet verified in staging", "git-open-pr", "```diff\n"} {
		if !strings.Contains(got, words) {
			t.Errorf("the plan does not say %q:\n%s", words, got)
		}
	}
	// 👀, 👍 and the comment; the ledger that holds the command; and a look at what octocat may do.
	writes, reads := 0, 0
	for _, r := range cost {
		if r.Counted && servertest.IsWrite(r) {
			writes++
		} else if r.Counted {
			reads++
		}
	}
	if writes > 4 || reads > 1 {
		t.Errorf("%d writes and %d reads:\n%s", writes, reads, servertest.List(cost))
	}
	if now := w.Sim.Branches(w.Repo); len(now) != len(branches) || len(w.Open()) != 1 {
		t.Errorf("something was pushed: %v", now)
	}

	pull := w.Open()[0]
	ask(t, w, "octocat", pull.Number, "/plan", "+1 eyes")
	got = lastAnswer(t, w, pull.Number)
	if !strings.Contains(got, "**staging** ← ") || !strings.Contains(got, "It would wait for that one.") {
		t.Errorf("on staging's pull request the plan says\n%s", got)
	}
	fork, _, err := w.Sim.Between(w.Repo, pull.BaseSHA, pull.HeadSHA) // main may have moved since
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.Sim.Diff(w.Repo, fork, pull.HeadSHA)
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for _, f := range files {
		did = append(did, changed(f.Patch)...)
	}
	_, diff, _ := strings.Cut(got, "```diff\n")
	diff, _, _ = strings.Cut(diff, "```")
	if said := changed(diff); len(did) == 0 || !slices.Equal(said, did) {
		t.Errorf("the plan says %q, and the promotion does %q", said, did)
	}

	dev := "Nothing would change"
	if ask(t, w, "octocat", issue.Number, "/plan dev", "+1 eyes"); !strings.Contains(lastAnswer(t, w, issue.Number), dev) {
		t.Errorf("of what dev holds already the plan says\n%s", lastAnswer(t, w, issue.Number))
	}
	ask(t, w, "monalisa", issue.Number, "/plan prod", "-1 eyes")
	if got := lastAnswer(t, w, issue.Number); !strings.Contains(got, "that takes write access") {
		t.Errorf("monalisa is told %q", got)
	}
}

// The steps of a pull request's pipeline files run with no rights and reach nothing.
func TestAPlanByThePipelineFilesOfAPullRequest(t *testing.T) {
	t.Parallel()
	w := opened(t)
	w.Settle()
	next := strings.Replace(servertest.Config, "    after: [staging]\n    steps: *steps", `    after: [staging]
    gates: {soak: 2h}
    steps:
      - uses: helm-update-chart
        config: {path: chart}
      - uses: yaml-update
        config:
          path: envs/prod/values.yaml
          updates: [{key: replicas, value: 7}]`, 1)
	files := map[string]string{
		configPath:         next,
		"chart/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\ndependencies: [{name: y, version: 1.x, repository: 'http://127.0.0.1:1/'}]\n",
	}
	sha := pullRequest(t, w, "next", files)
	w.Until("the pipeline files are checked", func() bool { return len(configChecks(w, sha)) > 0 })
	if c := configChecks(w, sha)[0]; !strings.Contains(c.Summary, "```mermaid") || !strings.Contains(c.Summary, "| prod | `staging` | when asked | a pull request | `soak` |") {
		t.Errorf("the check shows no pipeline:\n%s", c.Summary)
	}
	w.Settle()
	number := slices.MaxFunc(w.Open(), func(a, b ghsim.PullRequest) int { return a.Number - b.Number }).Number
	ask(t, w, "octocat", number, "/plan prod", "+1 eyes")
	got := lastAnswer(t, w, number)
	for _, words := range []string{"those of this pull request at [`" + sha[:7], "Soak of 2 h begins when it is verified", "helm-update-chart", "errored"} {
		if !strings.Contains(got, words) {
			t.Errorf("the plan does not say %q:\n%s", words, got)
		}
	}
	ask(t, w, "octocat", number, "/plan nowhere", "confused eyes")
	if got := lastAnswer(t, w, number); !strings.Contains(got, "no stage nowhere") || !strings.Contains(got, "dev, staging, prod") {
		t.Errorf("of a stage that is not there it says %q", got)
	}
	if w.File("envs/prod/values.yaml") != servertest.Files()["envs/prod/values.yaml"] {
		t.Error("prod was changed")
	}
}

func TestAPlanIsWrittenOnceThoughItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	w := opened(t)
	w.Settle()
	issue, _ := w.TrackingIssue()
	before := len(w.Answers(issue.Number))
	w.Sim.Fault(ghsim.Fault{Route: "POST */issues/{number}/comments", When: ghsim.After, Cut: true, Match: func(r *http.Request) bool {
		return strings.Contains(r.Header.Get("User-Agent"), "stagecoach")
	}})
	ask(t, w, "octocat", issue.Number, "/plan prod", "+1 eyes")
	w.Settle()
	if n := len(w.Answers(issue.Number)) - before; n != 1 {
		t.Errorf("%d plans were written, want 1", n)
	}
}
