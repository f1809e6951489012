package server_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// withoutIssues is opened in a repository whose Issues are off.
func withoutIssues(t *testing.T) *servertest.World {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	setIssues(t, w, false)
	w.StartServer()
	w.InstallApp()
	w.Until("staging's check says that it waits", func() bool {
		c, ok := w.Check("stagecoach/staging")
		return ok && strings.HasPrefix(c.Title, "Waiting for merge")
	})
	w.Settle()
	return w
}

func setIssues(t *testing.T, w *servertest.World, on bool) {
	t.Helper()
	if err := w.Sim.SetIssues(w.Repo, on); err != nil {
		t.Fatal(err)
	}
}

// onCheck is the state in the newest check run that holds the ledger; nil: none does.
func onCheck(w *servertest.World) *promotion.State {
	var best *promotion.State
	for _, c := range w.Sim.CheckRuns(w.Repo) {
		if c.Name != "stagecoach/ledger" || c.ExternalID != "ledger" {
			continue
		}
		s, err := ledger.Decode(c.Summary, nil, [][]byte{w.LedgerKey()}, w.Repo.ID, 0, true)
		if err == nil && (best == nil || s.Revision > best.Revision) {
			best = s
			best.Local.LedgerCheck = promotion.LedgerCheck{ID: c.ID, SHA: c.HeadSHA}
		}
	}
	return best
}

// stand is every promotion of a state with its phase.
func stand(s *promotion.State) string {
	var out []string
	if s != nil && s.Pipelines["default"] != nil {
		for _, p := range s.Pipelines["default"].Promotions {
			out = append(out, fmt.Sprintf("%s %s", p.Name, p.Phase))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func TestTheWholeStoryWithoutIssues(t *testing.T) {
	t.Parallel()
	w := withoutIssues(t)
	pull := w.Open()[0].Number
	mergeOpen(t, w)
	w.Until("staging is recorded", func() bool {
		return strings.Contains(stand(onCheck(w)), "staging.") && !strings.Contains(stand(onCheck(w)), "waiting")
	})
	w.Settle()
	mark := w.Sim.Mark()
	ask(t, w, "octocat", pull, "/promote prod", "eyes rocket")
	w.Until("prod's pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Settle()
	mergeOpen(t, w)
	w.Until("prod is recorded", func() bool { return strings.Count(stand(onCheck(w)), " succeeded") == 3 })
	w.Settle()
	if issues := w.Sim.Issues(w.Repo); len(issues) > 0 {
		t.Errorf("an issue was made: %+v", issues)
	}
	s := onCheck(w)
	if tip := w.Sim.Branches(w.Repo)["main"]; s == nil || s.Local.LedgerCheck.SHA != tip {
		t.Errorf("the ledger is at %+v, want the tip %s", s.Local.LedgerCheck, tip)
	}
	if c, _ := w.Check("stagecoach/prod"); !strings.Contains(c.DetailsURL, "/acme/gitops/runs/") || !strings.Contains(c.Summary, "everything else") {
		t.Errorf("prod's check leads to %q:\n%s", c.DetailsURL, c.Summary)
	}
	for _, r := range w.Since(mark) {
		if strings.HasSuffix(r.Path, "/issues") || r.Status == 410 {
			t.Errorf("it tried %s %s", r.Method, r.Path)
		}
	}
	// The ledger is written as often as in an issue: when the command is taken, and when all is done.
	if of := ghsim.CountRequests(w.Since(mark)); of.Writes > 6+2 || of.Reads > 4+1 {
		t.Errorf("%d writes and %d reads:\n%s", of.Writes, of.Reads, servertest.List(w.Since(mark)))
	}
}

// An empty disk and no issue: the check run tells all that was known, however others
// imitate it.
func TestAnEmptyDiskWithoutIssues(t *testing.T) {
	t.Parallel()
	w := withoutIssues(t)
	before := onCheck(w)
	ask(t, w, "octocat", w.Open()[0].Number, "/freeze prod --for 4h release", "+1 eyes")
	w.Settle()
	known := onCheck(w)
	if known.Revision <= before.Revision || known.Pipelines["default"].Stages["prod"].Freeze == nil {
		t.Fatalf("the freeze is not in the ledger: revision %d after %d", known.Revision, before.Revision)
	}
	w.StopServer()
	if err := os.RemoveAll(w.DataDir); err != nil {
		t.Fatal(err)
	}
	other, err := w.Sim.AddBot("imitator", map[string]string{"checks": "write"}, w.Repo)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Do("POST", "/repos/acme/gitops/check-runs", map[string]any{
		"name": "stagecoach/ledger", "head_sha": w.Sim.Branches(w.Repo)["main"], "external_id": "ledger", "conclusion": "success",
		"output": map[string]any{"title": "x", "summary": "Nothing is frozen here"},
	}, nil); err != nil {
		t.Fatal(err)
	}
	commit(t, w, "main", map[string]string{"README.md": "# pushed while it was down\n"}, "Write on")
	w.StartServer()
	w.RedeliverFailed()
	mergeOpen(t, w)
	w.Until("staging landed", func() bool {
		c, ok := w.Check("stagecoach/staging")
		return ok && strings.HasPrefix(c.Title, "Landed in")
	})
	w.Settle()
	s := onCheck(w)
	if s.Revision <= known.Revision || s.Pipelines["default"].Stages["prod"].Freeze == nil {
		t.Errorf("the freeze is forgotten: revision %d after %d", s.Revision, known.Revision)
	}
	if got := stand(s); strings.Count(got, "staging.") != 1 || !strings.Contains(got, "succeeded") {
		t.Errorf("the ledger says\n%s", got)
	}
	if len(w.Sim.PullRequests(w.Repo)) != 1 {
		t.Errorf("pull requests: %+v", w.Sim.PullRequests(w.Repo))
	}
}

// No event tells that Issues were switched: what is sent next does, or GitHub's refusal.
func TestTheLedgerMovesWithTheIssues(t *testing.T) {
	t.Parallel()
	w := opened(t)
	w.Settle()
	pull := w.Open()[0].Number
	issue, _ := w.TrackingIssue()
	setIssues(t, w, false)
	ask(t, w, "octocat", pull, "/freeze prod incident", "+1 eyes")
	w.Settle()
	away := onCheck(w)
	if away == nil || away.Pipelines["default"].Stages["prod"].Freeze == nil || !strings.Contains(stand(away), "staging.") {
		t.Fatalf("the ledger did not move to a check run:\n%s", stand(away))
	}
	setIssues(t, w, true)
	ask(t, w, "octocat", pull, "/unfreeze prod", "+1 eyes")
	w.Settle()
	back, err := w.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	if back.Revision <= away.Revision || stand(back) != stand(away) || back.Pipelines["default"].Stages["prod"].Freeze != nil {
		t.Errorf("back in the issue at revision %d after %d:\n%s\nwas\n%s", back.Revision, away.Revision, stand(back), stand(away))
	}
	if now, _ := w.TrackingIssue(); now.Number != issue.Number || len(w.Sim.Issues(w.Repo)) != 1 {
		t.Errorf("another issue was made: #%d after #%d", now.Number, issue.Number)
	}
	if s := onCheck(w); s != nil && s.Local.LedgerCheck.ID == away.Local.LedgerCheck.ID {
		t.Error("the check run still holds a record")
	}
	mergeOpen(t, w)
	w.Until("staging landed", func() bool { return w.Recorded("staging") })
}

// The disk is lost between the switch and the first event: the higher revision counts.
func TestIssuesAreSwitchedOnWhileTheDiskIsLost(t *testing.T) {
	t.Parallel()
	w := opened(t)
	w.Settle()
	pull := w.Open()[0].Number
	setIssues(t, w, false)
	ask(t, w, "octocat", pull, "/freeze prod incident", "+1 eyes")
	w.Settle()
	away := onCheck(w)
	w.StopServer()
	if err := os.RemoveAll(w.DataDir); err != nil {
		t.Fatal(err)
	}
	setIssues(t, w, true)
	w.StartServer()
	w.RedeliverFailed()
	w.Until("the ledger is in the issue again", func() bool { s, err := w.Ledger(); return err == nil && s.Revision > away.Revision })
	mergeOpen(t, w)
	w.Until("staging is recorded in the issue", func() bool { return w.Recorded("staging") })
	w.Settle()
	back, err := w.Ledger()
	if err != nil || back.Revision <= away.Revision || back.Pipelines["default"].Stages["prod"].Freeze == nil {
		t.Errorf("what was asked for while Issues were off is forgotten (%v), revision %d after %d", err, back.Revision, away.Revision)
	}
}
