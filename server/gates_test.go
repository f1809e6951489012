package server_test

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// gatedConfig verifies dev by another app's check, lets the app merge staging's
// pull request as soon as its gates and GitHub allow, and asks for two approvals
// before prod.
const gatedConfig = `version: 1
sources:
  - name: app
    git: {branch: main, paths: ['app/**']}
stages:
  - name: dev
    promote: auto
    deliver: commit
    steps: &steps
      - uses: yaml-update
        config:
          path: envs/${{ ctx.stage }}/values.yaml
          updates: [{key: image.tag, value: "${{ freight.app.commit[:7] }}"}]
    verify: {checks: [e2e], timeout: 10m}
  - name: staging
    after: [dev]
    promote: auto
    pullRequest: {merge: auto}
    gates: {soak: 1s, checks: ['argocd/*']}
    steps: *steps
  - name: prod
    after: [staging]
    gates:
      approvals: {count: 2, users: [monalisa], teams: [sre], excludeRequester: true}
    allow: {users: [octocat, monalisa]}
    steps: *steps
`

// gates is a world of a config like gatedConfig, in which dev has landed and is being verified,
// and another app that reports checks.
func gates(t *testing.T, config string) (*servertest.World, ghsim.Bot) {
	t.Helper()
	files := servertest.Files()
	files[".github/stagecoach.yml"] = config
	w := servertest.New(t, files)
	w.Sim.AddTeam("acme", "sre", "hubot")
	bot, err := w.Sim.AddBot("argo", map[string]string{"checks": "write", "statuses": "write"}, w.Repo)
	if err != nil {
		t.Fatal(err)
	}
	w.StartServer()
	w.InstallApp()
	until(w, "dev", "", "Verifying: 0 of 1 check green")
	return w, bot
}

// until waits until a stage's newest check run has a conclusion and a title that
// begins so.
func until(w *servertest.World, stage, conclusion, title string) ghsim.CheckRun {
	w.TB.Helper()
	var found ghsim.CheckRun
	w.Until(stage+"'s check says "+title, func() bool {
		c, ok := w.Check("stagecoach/" + stage)
		found = c
		return ok && c.Conclusion == conclusion && strings.HasPrefix(c.Title, title)
	})
	return found
}

func report(t *testing.T, w *servertest.World, bot ghsim.Bot, sha, name, conclusion string) {
	t.Helper()
	if _, err := bot.Check(w.Repo, sha, name, conclusion); err != nil {
		t.Fatal(err)
	}
}

func say(t *testing.T, w *servertest.World, login, text string) {
	t.Helper()
	issue, ok := w.TrackingIssue()
	if !ok {
		t.Fatal("there is no tracking issue")
	}
	if _, err := w.Sim.As(login).Comment(w.Repo, issue.Number, text); err != nil {
		t.Fatal(err)
	}
}

// TestGates tells of a change on its way through every gate.
func TestGates(t *testing.T) {
	t.Parallel()
	w, bot := gates(t, gatedConfig)
	landed, _ := w.Check("stagecoach/dev")
	report(t, w, bot, landed.HeadSHA, "e2e", "success")
	until(w, "dev", "success", "Landed in ")
	report(t, w, bot, landed.HeadSHA, "argocd/web", "success")
	until(w, "staging", "success", "Landed in ") // merged by the app
	w.Until("staging is recorded", func() bool { return w.Recorded("staging") })

	say(t, w, "monalisa", "/freeze prod --for 2h incident 42")
	w.Until("the freeze is told", func() bool { i, _ := w.TrackingIssue(); return strings.Contains(i.Body, "incident 42") })
	say(t, w, "octocat", "/promote prod")
	w.Until("prod waits for the freeze", func() bool { i, _ := w.TrackingIssue(); return strings.Contains(i.Body, "Frozen by monalisa until") })
	say(t, w, "octocat", "/unfreeze prod")
	check := until(w, "prod", "action_required", "Waiting for 2 of 2 approvals")
	pull := w.Open()[0]
	for _, login := range []string{"octocat", "hubot"} { // octocat asked for it: that counts for nothing
		if _, err := w.Sim.As(login).Approve(w.Repo, pull.Number); err != nil {
			t.Fatal(err)
		}
	}
	until(w, "prod", "action_required", "Waiting for 1 of 2 approvals (hubot approved)")
	if len(check.Actions) == 0 || check.Actions[0].Identifier != "approve" {
		t.Errorf("the buttons are %+v, want approve first", check.Actions)
	}
	if _, err := w.Sim.As("monalisa").Comment(w.Repo, pull.Number, "Fine by me.\n/approve"); err != nil { // she may only read, but is named
		t.Fatal(err)
	}
	until(w, "prod", "success", "Waiting for merge: all gates are open")
	if _, err := w.Sim.As("octocat").Merge(w.Repo, pull.Number, "squash"); err != nil {
		t.Fatal(err)
	}
	w.Finished()
}

// TestRollbackOverGitHub lets verification fail, and people go back. Its commits
// are made through GitHub's API.
func TestRollbackOverGitHub(t *testing.T) {
	t.Parallel()
	mark := "version: 1\n"
	w, bot := gates(t, strings.Replace(gatedConfig, mark, mark+"commits: {verified: true}\n", 1))
	first, _ := w.Check("stagecoach/dev")
	report(t, w, bot, first.HeadSHA, "e2e", "success")
	until(w, "dev", "success", "Landed in ")
	before := unquoted(w.File("envs/dev/values.yaml"))
	if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", map[string]string{"app/deploy.yaml": "kind: Deployment\nmetadata: {name: broken}\n"}, "Break it"); err != nil {
		t.Fatal(err)
	}
	second := until(w, "dev", "", "Verifying")
	report(t, w, bot, second.HeadSHA, "e2e", "failure")
	until(w, "dev", "failure", "Verification said no: e2e")
	say(t, w, "octocat", "/rollback dev")
	w.Until("dev holds what it held before", func() bool { return unquoted(w.File("envs/dev/values.yaml")) == before })
	third := until(w, "dev", "", "Verifying")
	report(t, w, bot, third.HeadSHA, "e2e", "success")
	until(w, "dev", "success", "Landed in ")
	w.Until("the pause is told", func() bool { i, _ := w.TrackingIssue(); return strings.Contains(i.Body, "/resume dev") })
	for _, r := range w.Sim.Requests() {
		if r.Route == "POST /{owner}/{repo}/git-receive-pack" {
			t.Error("a commit was pushed that GitHub would not sign")
		}
	}
}

// unquoted leaves the quotes out: a short SHA that a reader would take for a
// number, such as 0293e17, is written in quotes, and these stay for the next one.
func unquoted(values string) string { return strings.ReplaceAll(values, `"`, "") }
