package server_test

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// opened is a world in which staging's pull request is open and reported.
func opened(t *testing.T) *servertest.World {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.Until("staging's check says that it waits", func() bool {
		c, ok := w.Check("stagecoach/staging")
		return ok && strings.HasPrefix(c.Title, "Waiting for merge")
	})
	return w
}

func TestTheAbortButtonClosesThePullRequest(t *testing.T) {
	t.Parallel()
	w := opened(t)
	c, _ := w.Check("stagecoach/staging")
	if err := w.Sim.As("octocat").PressButton(w.Repo, c.ID, "abort"); err != nil {
		t.Fatal(err)
	}
	w.Until("it is aborted and cleaned up", func() bool {
		c, _ := w.Check("stagecoach/staging")
		return c.Conclusion == "cancelled" && c.Title == "Aborted by octocat" && len(w.Open()) == 0 && len(w.Sim.Branches(w.Repo)) == 1
	})
}

func TestAClosedPullRequestFailsAndTheRetryButtonOpensAnother(t *testing.T) {
	t.Parallel()
	w := opened(t)
	octocat := w.Sim.As("octocat")
	first := w.Open()[0].Number
	if err := octocat.ClosePR(w.Repo, first); err != nil {
		t.Fatal(err)
	}
	w.Until("it failed and says why", func() bool {
		c, _ := w.Check("stagecoach/staging")
		return c.Conclusion == "failure" && strings.Contains(c.Title, "was closed without a merge") && len(w.Sim.Branches(w.Repo)) == 1
	})
	c, _ := w.Check("stagecoach/staging")
	if err := octocat.PressButton(w.Repo, c.ID, "retry"); err != nil {
		t.Fatal(err)
	}
	w.Until("another pull request is open", func() bool { return len(w.Open()) == 1 && w.Open()[0].Number != first })
}

func TestThePromoteButtonPromotesToTheNextStage(t *testing.T) {
	t.Parallel()
	w := opened(t)
	octocat := w.Sim.As("octocat")
	if _, err := octocat.Merge(w.Repo, w.Open()[0].Number, "rebase"); err != nil {
		t.Fatal(err)
	}
	w.Until("staging landed", func() bool {
		c, _ := w.Check("stagecoach/staging")
		return strings.HasPrefix(c.Title, "Landed in")
	})
	c, _ := w.Check("stagecoach/staging")
	if len(c.Actions) != 1 || c.Actions[0].Identifier != "promote" {
		t.Fatalf("buttons %+v", c.Actions)
	}
	if err := octocat.PressButton(w.Repo, c.ID, "promote"); err != nil {
		t.Fatal(err)
	}
	w.Until("prod's pull request is open", func() bool { return len(w.Open()) == 1 && strings.HasSuffix(w.Open()[0].Title, "to prod") })
}
