package server_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestTrackingIssueAndDiskAreLostTogether: staging's pull request waits, dev got newer
// freight meanwhile, and nothing but what GitHub shows is left. The pull request goes on
// waiting as what it was, and when it is merged the newer one follows.
func TestTrackingIssueAndDiskAreLostTogether(t *testing.T) {
	t.Parallel()
	w := opened(t)
	octocat := w.Sim.As("octocat")
	first, _ := w.Check("stagecoach/staging")
	number := w.Open()[0].Number
	if _, err := octocat.Commit(w.Repo, "main", map[string]string{"app/deploy.yaml": "kind: Deployment\nmetadata: {name: next}\n"}, "Change the app"); err != nil {
		t.Fatal(err)
	}
	w.Until("newer freight waits behind it", func() bool {
		s, err := w.Ledger()
		return err == nil && s.Pipelines["default"] != nil && len(inQueue(s)) == 1
	})
	issue, _ := w.TrackingIssue()
	if _, err := octocat.Comment(w.Repo, issue.Number, "/freeze prod --for 72h release days"); err != nil {
		t.Fatal(err)
	}
	w.Until("prod is frozen", func() bool { return frozen(w, "prod") != nil })
	until := frozen(w, "prod").Until
	w.Settle()
	w.StopServer()
	edit(t, w, issue.Number, map[string]any{"body": ""})
	forget(t, w)
	w.StartServer()
	w.Until("the ledger is valid again", func() bool { _, err := w.Ledger(); return err == nil })
	w.Settle()
	s, err := w.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	p := s.Promotion(first.ExternalID)
	if open := w.Open(); len(open) != 1 || open[0].Number != number || p == nil || p.Phase != promotion.PhaseWaiting || p.PullRequest.Number != number {
		t.Fatalf("%d pull requests are open; the promotion is %+v", len(open), p)
	}
	if m := frozen(w, "prod"); m == nil || m.By != "octocat" || m.Reason != "release days" || !m.Until.Equal(until) {
		t.Errorf("prod's freeze is %+v, want one until %s", m, until)
	}
	if f := s.FreightByID("default", p.Freight); f == nil || f.Number != 1 || len(inQueue(s)) != 1 {
		t.Errorf("its freight is %+v, and %v wait behind it", f, inQueue(s))
	}
	if _, err := octocat.Merge(w.Repo, number, "squash"); err != nil {
		t.Fatal(err)
	}
	w.Until("it landed, and the next one is open", func() bool {
		s, err := w.Ledger()
		return err == nil && s.Promotion(first.ExternalID).Phase == promotion.PhaseSucceeded && len(w.Open()) == 1 && w.Open()[0].Number != number
	})
}

// frozen is the freeze of a stage by the tracking issue; nil: there is none.
func frozen(w *servertest.World, stage string) *promotion.Mark {
	s, err := w.Ledger()
	if err != nil || s.Pipelines["default"] == nil || s.Pipelines["default"].Stages[stage] == nil {
		return nil
	}
	return s.Pipelines["default"].Stages[stage].Freeze
}

// inQueue are the promotions that wait for their turn.
func inQueue(s *promotion.State) (names []string) {
	for _, p := range s.Pipelines["default"].Promotions {
		if p.Phase == promotion.PhaseQueued {
			names = append(names, p.Name)
		}
	}
	return names
}
