package server_test

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

var previous = flag.String("previous", "", "the binary of the version before, for TestVersionsSideBySide; empty: it is skipped")

// TestVersionsSideBySide replaces three replicas of the version before by those of this
// one, one after the other while the story goes on, and then puts the old ones back.
// Where this version has raised that of the record, the old ones must leave it alone.
//
//	git worktree add /tmp/before COMMIT
//	(cd /tmp/before && go build -o /tmp/stagecoach-before .)
//	go test ./server -run TestVersionsSideBySide -previous /tmp/stagecoach-before -v
func TestVersionsSideBySide(t *testing.T) {
	if *previous == "" {
		t.Skip("needs the binary of the version before: -previous BINARY")
	}
	w := servertest.New(t, servertest.Files())
	w.Patience = 2 * time.Minute
	f := w.StartFleetOf(3, *previous)
	w.KeepUpFleet(f)
	w.InstallApp()
	w.Until("staging's pull request waits", func() bool {
		c, ok := w.Check("stagecoach/staging")
		return ok && strings.HasPrefix(c.Title, "Waiting for merge") && len(w.Open()) == 1
	})
	w.Until("there is a tracking issue", func() bool { _, ok := w.TrackingIssue(); return ok })
	w.Settle()
	old := recordVersion(t, w)
	t.Logf("the record was of version %d, and is of version %d", old, promotion.StateVersion)
	this := servertest.Build(t, servertest.Product)
	f.Replace(0, this)
	w.StoryToStaging()
	f.Replace(1, this)
	w.StoryToProd()
	f.Replace(2, this)
	check(t, w)
	again(t, w, 1)
	if old < promotion.StateVersion {
		oldOnesLeaveItAlone(t, w, f)
		return
	}
	f.Replace(0, *previous)
	again(t, w, 2)
	f.Replace(1, *previous)
	f.Replace(2, *previous)
	again(t, w, 3)
}

// recordVersion is the version of the record in the tracking issue.
func recordVersion(t *testing.T, w *servertest.World) int {
	t.Helper()
	issue, _ := w.TrackingIssue()
	found := recordLine.FindStringSubmatch(issue.Body)
	if found == nil {
		t.Fatalf("there is no record in\n%s", issue.Body)
	}
	n, err := strconv.Atoi(found[1])
	must(t, err)
	return n
}

// again brings one more change to dev and staging, and looks that nothing is there twice.
func again(t *testing.T, w *servertest.World, n int) {
	t.Helper()
	sha, err := w.Sim.As("octocat").Commit(w.Repo, "main", map[string]string{"app/deploy.yaml": fmt.Sprintf("kind: Deployment\nmetadata: {name: web-%d}\n", n)}, "Change the app")
	must(t, err)
	holds := func(stage string) func() bool {
		return func() bool { return strings.Contains(w.File("envs/"+stage+"/values.yaml"), sha[:7]) }
	}
	w.Until("dev holds it", holds("dev"))
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	mergeOpen(t, w)
	w.Until("staging holds it and is recorded", func() bool { return holds("staging")() && w.Recorded("staging") })
	w.Settle()
	seen := map[string]bool{}
	for _, c := range w.Sim.CheckRuns(w.Repo) {
		if key := c.ExternalID + c.HeadSHA; seen[key] {
			t.Errorf("two check runs of %s on %s", c.ExternalID, c.HeadSHA)
		} else {
			seen[key] = true
		}
	}
	if got := len(w.Sim.PullRequests(w.Repo)); got != 2+n {
		t.Errorf("%d pull requests, want %d", got, 2+n)
	}
}

// oldOnesLeaveItAlone puts the version before back, which must not touch what it cannot read.
func oldOnesLeaveItAlone(t *testing.T, w *servertest.World, f *servertest.Fleet) {
	t.Helper()
	for i := range f.Size() {
		f.Replace(i, *previous)
	}
	mark := w.Sim.Mark()
	if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", map[string]string{"app/deploy.yaml": "kind: Deployment\nmetadata: {name: old}\n"}, "Change the app"); err != nil {
		t.Fatal(err)
	}
	w.Until("they say so", func() bool { return strings.Contains(w.Output(), "newer Stagecoach") })
	if c := w.Sim.Counts(mark); c.Writes+c.Pushes > 0 {
		t.Errorf("they wrote:\n%s", servertest.List(w.Since(mark)))
	}
}
