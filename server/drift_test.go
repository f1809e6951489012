package server_test

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestChangedByHand lets somebody change in a stage's files first what the promotion
// left alone, then what it wrote: only the second is told, under problems and in the
// next promotion's pull request, and costs no counted request but the tracking issue.
func TestChangedByHand(t *testing.T) {
	t.Parallel()
	w := openProd(t, redoConfig)
	if _, err := w.Sim.As("octocat").Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
		t.Fatal(err)
	}
	until(w, "prod", "success", "Landed in ")
	w.Until("prod is recorded", func() bool { return w.Recorded("prod") })
	w.Settle()
	mark := w.Sim.Mark()
	byHand(t, w, "main", "replicas: 3", "replicas: 5")
	w.Settle()
	holdsDrift(t, w.Since(mark), 0)
	tag := tagOf(w.File(prodValues))
	mark = w.Sim.Mark()
	byHand(t, w, "main", "tag: "+tag, "tag: hotfix")
	told := func() bool {
		i, _ := w.TrackingIssue()
		return strings.Contains(i.Body, "prod** was changed by hand") || strings.Contains(i.Body, "prod was changed by hand")
	}
	w.Until("it is told", told)
	w.Settle()
	holdsDrift(t, w.Since(mark), 1)
	if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", map[string]string{"app/deploy.yaml": "kind: Deployment\nmetadata: {name: next}\n"}, "Change the app"); err != nil {
		t.Fatal(err)
	}
	check := until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	if body := w.Open()[0].Body; !strings.Contains(body, "Changed by hand") || !strings.Contains(body, prodValues) {
		t.Errorf("the pull request does not tell of it:\n%s", body)
	}
	approve(t, w, check.HeadSHA)
	until(w, "prod", "success", "Waiting for merge: all gates are open")
	if _, err := w.Sim.As("octocat").Merge(w.Repo, w.Open()[0].Number, "merge"); err != nil {
		t.Fatal(err)
	}
	w.Until("it is not told any more", func() bool { return !told() })
	w.Settle()
	if told() {
		t.Error("the landing itself is taken for a change by hand")
	}
}

// holdsDrift counts what a change by hand costs.
func holdsDrift(t *testing.T, requests []ghsim.Request, issues int) {
	t.Helper()
	fetches := 0
	for _, r := range requests {
		switch {
		case !strings.HasSuffix(r.Login, "[bot]"), strings.Contains(r.Route, "/info/refs"):
		case strings.HasSuffix(r.Route, "/git-upload-pack"):
			fetches++
		case strings.HasPrefix(r.Route, "PATCH") && strings.Contains(r.Route, "/issues/"):
			issues--
		default:
			t.Errorf("it costs %s\n%s", r.Route, servertest.List(requests))
		}
	}
	if fetches > 1 || issues < 0 {
		t.Errorf("%d fetches, %d more writes of the issue than meant\n%s", fetches, -issues, servertest.List(requests))
	}
}
