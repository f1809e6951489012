package server_test

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestTicks approves by boxes of the tracking issue: who may does, who may not is
// told, and whatever else an edit holds is gone when the issue is drawn anew.
func TestTicks(t *testing.T) {
	t.Parallel()
	files := servertest.Files()
	files[".github/stagecoach.yml"] = strings.Replace(gatedConfig[:strings.Index(gatedConfig, "    verify:")],
		"    deliver: commit\n", "    gates: {approvals: {users: [octocat]}}\n", 1)
	w := servertest.New(t, files)
	if err := w.Sim.SetPermission(w.Repo, "hubot", "write"); err != nil {
		t.Fatal(err)
	}
	w.StartServer()
	w.InstallApp()
	until(w, "dev", "action_required", "Waiting for 1 of 1 approval")
	box := ledger.Box("approve", "default", "dev")
	drawn := func() bool { i, ok := w.TrackingIssue(); return ok && strings.Contains(i.Body, box) }
	w.Until("the box is drawn", drawn)
	tick := func(login string) {
		issue, _ := w.TrackingIssue()
		body := "dev runs nothing\n" + strings.Replace(issue.Body, box, box[:3]+"x"+box[4:], 1)
		if err := w.Sim.As(login).EditIssue(w.Repo, issue.Number, map[string]any{"body": body}); err != nil {
			t.Fatal(err)
		}
	}
	tick("hubot")
	w.Until("who may not is told", func() bool {
		issue, _ := w.TrackingIssue()
		answers := w.Answers(issue.Number)
		return len(answers) == 1 && strings.HasPrefix(answers[0], "@hubot may not `/approve` for dev")
	})
	w.Until("the issue is drawn anew", func() bool {
		issue, _ := w.TrackingIssue()
		return drawn() && !strings.Contains(issue.Body, "dev runs nothing")
	})
	tick("octocat")
	until(w, "dev", "success", "Waiting for merge: all gates are open")
	w.Until("the box is gone", func() bool { i, _ := w.TrackingIssue(); return !strings.Contains(i.Body, "approve:default/dev") })
	w.Settle()
	issue, _ := w.TrackingIssue()
	if answers := w.Answers(issue.Number); len(answers) != 1 || strings.Contains(issue.Body, "dev runs nothing") {
		t.Errorf("answers %q, body\n%s", answers, issue.Body)
	}
}
