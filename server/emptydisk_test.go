package server_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// lost is a world whose product is killed, and loses its data directory, when
// the fault strikes its request on a route for the nth time.
func lost(t *testing.T, route string, when ghsim.When, nth int) *servertest.World {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	w.Patience = 3 * time.Minute
	w.StartProcess()
	w.KillAt(servertest.KillSpec{Nth: nth, Route: route, When: when})
	w.KeepUp(servertest.Product, func() { forget(t, w) }, "serve")
	w.InstallApp()
	return w
}

func forget(t *testing.T, w *servertest.World) {
	if err := os.RemoveAll(w.DataDir); err != nil {
		t.Error(err)
	}
}

const (
	pushRoute    = "POST /{owner}/{repo}/git-receive-pack"
	pullRoute    = "POST /repos/{owner}/{repo}/pulls"
	checkRoute   = "POST /repos/{owner}/{repo}/check-runs"
	issueRoute   = "POST /repos/{owner}/{repo}/issues"
	recordRoute  = "PATCH /repos/{owner}/{repo}/issues/{issue_number}"
	readRoute    = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
	deleteRoute  = "DELETE /repos/{owner}/{repo}/git/refs/{ref}"
	commentRoute = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments"
)

// TestTheDiskIsLostInTheMiddle kills the product at points of the story and
// deletes its data directory. The next life goes on from what GitHub shows.
func TestTheDiskIsLostInTheMiddle(t *testing.T) {
	all := []struct {
		name, route string
		when        ghsim.When
		nth         int
	}{
		{"before dev's push", pushRoute, ghsim.Before, 1},
		{"after dev's push", pushRoute, ghsim.After, 1},
		{"after dev's check run", checkRoute, ghsim.After, 1},
		{"before staging's push", pushRoute, ghsim.Before, 2},
		{"between push and pull request", pushRoute, ghsim.After, 2},
		{"before the pull request", pullRoute, ghsim.Before, 1},
		{"between pull request and ledger", pullRoute, ghsim.After, 1},
		{"after staging's check run", checkRoute, ghsim.After, 2},
		{"before the first ledger", issueRoute, ghsim.Before, 1},
		{"after the first ledger", issueRoute, ghsim.After, 1},
		{"at the look after the merge", readRoute, ghsim.Before, 1},
		{"after the landed commit's check run", checkRoute, ghsim.After, 3},
		{"after the branch was deleted", deleteRoute, ghsim.After, 1},
		{"before staging is recorded", recordRoute, ghsim.Before, 1},
		{"after staging is recorded", recordRoute, ghsim.After, 1},
		{"after the command is recorded", recordRoute, ghsim.After, 2},
		{"before the answer", commentRoute, ghsim.Before, 1},
		{"after the answer", commentRoute, ghsim.After, 1},
		{"before prod is recorded", recordRoute, ghsim.Before, 3},
	}
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.name
	}
	points(t, names, 8, func(t *testing.T, i int) {
		w := lost(t, all[i].route, all[i].when, all[i].nth)
		w.Story()
		check(t, w)
		if w.Starts() != 2 {
			t.Errorf("the product was started %d times, want 2: it was not killed where it should be", w.Starts())
		}
	})
}

// waiting is a world whose product waits for staging's pull request and is then
// killed, with its disk; what GitHub sends meanwhile is lost.
func waiting(t *testing.T, meanwhile func(w *servertest.World, issue ghsim.Issue)) *servertest.World {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	w.Patience = 3 * time.Minute
	w.StartProcess()
	w.InstallApp()
	w.Until("staging is recorded as waiting", func() bool {
		s, err := w.Ledger()
		return err == nil && len(w.Open()) == 1 && s.Pipelines["default"] != nil
	})
	w.Settle()
	issue, _ := w.TrackingIssue()
	w.Kill()
	undo := w.Sim.LoseWebhooks(func(ghsim.Delivery) bool { return true })
	meanwhile(w, issue)
	undo()
	forget(t, w)
	w.StartProcess()
	return w
}

func mergeOpen(t *testing.T, w *servertest.World) {
	t.Helper()
	if _, err := w.Sim.As("octocat").Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
		t.Fatal(err)
	}
}

// TestWhatHappenedWhileTheServerWasDown: no event tells of it, and the disk is empty.
func TestWhatHappenedWhileTheServerWasDown(t *testing.T) {
	type world = *servertest.World
	for _, c := range []struct {
		name      string
		meanwhile func(t *testing.T, w world, issue ghsim.Issue)
		issues    int    // tracking issues at the end
		says      string // in the tracking issue, before the next landing
	}{
		{"nothing", func(*testing.T, world, ghsim.Issue) {}, 1, ""},
		{"the pull request was merged", func(t *testing.T, w world, _ ghsim.Issue) { mergeOpen(t, w) }, 1, ""},
		{"the tracking issue's text was edited", func(t *testing.T, w world, issue ghsim.Issue) {
			edit(t, w, issue.Number, map[string]any{"body": "Ship everything.\n" + issue.Body})
		}, 1, "Where everything is"},
		{"the tracking issue's record was edited", func(t *testing.T, w world, issue ghsim.Issue) {
			text, record, _ := strings.Cut(issue.Body, "<!-- stagecoach")
			record = strings.NewReplacer("A", "B", "B", "A", "c", "d", "d", "c").Replace(record)
			edit(t, w, issue.Number, map[string]any{"body": text + "<!-- stagecoach" + record})
		}, 1, "made anew"},
		{"the tracking issue was emptied", func(t *testing.T, w world, issue ghsim.Issue) {
			edit(t, w, issue.Number, map[string]any{"body": ""})
		}, 1, "made anew"},
		{"the tracking issue was closed", func(t *testing.T, w world, issue ghsim.Issue) {
			edit(t, w, issue.Number, map[string]any{"state": "closed"})
		}, 1, ""},
		{"the tracking issue was deleted", func(t *testing.T, w world, issue ghsim.Issue) {
			w.Sim.SetPermission(w.Repo, "hubot", "admin")
			if err := w.Sim.As("hubot").DeleteIssue(w.Repo, issue.Number); err != nil {
				t.Fatal(err)
			}
		}, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := waiting(t, func(w *servertest.World, issue ghsim.Issue) { c.meanwhile(t, w, issue) })
			if c.says != "" {
				w.Until("the tracking issue says "+c.says, func() bool {
					issue, _ := w.TrackingIssue()
					return strings.Contains(issue.Body, c.says)
				})
			}
			w.Until("the ledger is valid again", func() bool { _, err := w.Ledger(); return err == nil })
			w.Settle()
			if len(w.Open()) == 1 {
				mergeOpen(t, w)
			}
			w.Until("staging landed and is recorded", func() bool { return w.Recorded("staging") })
			w.Settle()
			w.StoryToProd()
			check(t, w)
			if issue, _ := w.TrackingIssue(); strings.Contains(issue.Body, "Ship everything.") {
				t.Error("a hand edit stayed in the tracking issue")
			}
			if n := len(w.Sim.Issues(w.Repo)); n != c.issues {
				t.Errorf("%d issues, want %d", n, c.issues)
			}
		})
	}
}

func edit(t *testing.T, w *servertest.World, number int, fields map[string]any) {
	t.Helper()
	if err := w.Sim.As("octocat").EditIssue(w.Repo, number, fields); err != nil {
		t.Fatal(err)
	}
}

// TestACommandThatWasSeenIsAnsweredByTheNextLife loses the disk after 👀, before the
// ledger holds the command. The delivery got through, so GitHub sends it no more.
func TestACommandThatWasSeenIsAnsweredByTheNextLife(t *testing.T) {
	const reactRoute = "POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"
	for _, where := range []string{"on the tracking issue", "on the pull request"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			w := servertest.New(t, servertest.Files())
			w.Patience = 3 * time.Minute
			w.StartProcess()
			w.InstallApp()
			w.Until("staging's pull request waits and is recorded", func() bool {
				s, err := w.Ledger()
				return err == nil && len(w.Open()) == 1 && s.Pipelines["default"] != nil
			})
			w.Settle()
			issue, _ := w.TrackingIssue()
			number := issue.Number
			if where == "on the pull request" {
				number = w.Open()[0].Number
			}
			killed := w.KillAt(servertest.KillSpec{Nth: 1, Route: reactRoute, When: ghsim.After})
			comment, err := w.Sim.As("octocat").Comment(w.Repo, number, "/abort staging")
			if err != nil {
				t.Fatal(err)
			}
			w.Until("the server is dead", killed)
			w.Kill()
			undo := w.Sim.LoseWebhooks(func(ghsim.Delivery) bool { return true })
			old, err := w.Sim.As("monalisa").Comment(w.Repo, number, "/abort staging") // nobody of us saw it
			if err != nil {
				t.Fatal(err)
			}
			undo()
			forget(t, w)
			w.StartProcess()
			w.Until("the command is carried out and answered", func() bool {
				return len(w.Open()) == 0 && strings.Join(w.Reactions(number, comment), " ") == "+1 eyes"
			})
			w.Settle()
			if got := w.Reactions(number, old); strings.Join(got, " ") == "+1 eyes" {
				t.Errorf("what may not be done was done: %v", got)
			}
		})
	}
}
