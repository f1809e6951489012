package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// stopped is a world whose server can be stopped and started in two ways.
type stopped struct {
	*servertest.World
	t           *testing.T
	start, stop func()
}

// served is stopped with a server in this process, and binary with the product.
func served(t *testing.T, files map[string]string) *stopped {
	t.Helper()
	w := servertest.New(t, files)
	w.SweepEvery = 400 * time.Millisecond
	return &stopped{w, t, w.StartServer, w.StopServer}
}

func binary(t *testing.T) *stopped {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	w.Patience = 3 * time.Minute
	return &stopped{w, t, w.StartProcess, func() {
		if code := w.Terminate(); code != 0 {
			t.Errorf("exit code %d\n%s", code, w.Output())
		}
	}}
}

// toStaging is the story until staging is done, and a copy of the data directory of then.
func (s *stopped) toStaging() (old string) {
	s.t.Helper()
	s.start()
	s.InstallApp()
	s.StoryToStaging()
	s.Settle()
	s.stop()
	old = filepath.Join(s.t.TempDir(), "old")
	must(s.t, os.CopyFS(old, os.DirFS(s.DataDir)))
	s.start()
	return old
}

// putBack lets a server go on with a copy that is older than what happened since.
func (s *stopped) putBack(old string) {
	s.t.Helper()
	s.Settle()
	s.stop()
	must(s.t, os.RemoveAll(s.DataDir))
	must(s.t, os.CopyFS(s.DataDir, os.DirFS(old)))
	s.start()
}

// made counts what stands on GitHub, of which nothing may be made twice.
func (s *stopped) made() string {
	s.t.Helper()
	log, err := s.Sim.Log(s.Repo, "main")
	must(s.t, err)
	return fmt.Sprintf("%d commits, %d pull requests, %d check runs, %d issues", len(log), len(s.Sim.PullRequests(s.Repo)), len(s.Sim.CheckRuns(s.Repo)), len(s.Sim.Issues(s.Repo)))
}

// An old copy of the data directory knows nothing of prod's pull request, which waits.
func TestAnOldCopyIsPutBackWhileProdWaits(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func(*testing.T) *stopped{
		"the binary": binary,
		"a server":   func(t *testing.T) *stopped { return served(t, servertest.Files()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := world(t)
			old := s.toStaging()
			s.AskForProd()
			s.putBack(old)
			if _, err := s.Sim.As("octocat").Merge(s.Repo, s.Open()[0].Number, "merge"); err != nil {
				t.Fatal(err)
			}
			s.Finished()
			check(t, s.World)
		})
	}
}

// What came meanwhile is not done twice, and the record on GitHub loses nothing.
func TestAnOldCopyOverwritesNoRecord(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(s *stopped){
		"": func(*stopped) {},
		", whose tracking issue was deleted": func(s *stopped) {
			issue, _ := s.TrackingIssue()
			s.Sim.SetPermission(s.Repo, "hubot", "admin")
			must(s.t, s.Sim.As("hubot").DeleteIssue(s.Repo, issue.Number))
			s.Until("it is made anew", func() bool { now, ok := s.TrackingIssue(); return ok && now.Number != issue.Number })
		},
	} {
		t.Run("a story that is over"+name, func(t *testing.T) {
			t.Parallel()
			s := served(t, servertest.Files())
			old := s.toStaging()
			s.AskForProd()
			mergeOpen(t, s.World)
			s.Finished()
			s.Settle()
			meanwhile(s)
			s.Settle()
			before, err := s.Ledger()
			must(t, err)
			made := s.made()
			s.putBack(old)
			issue, _ := s.TrackingIssue()
			if _, err := s.Sim.As("octocat").Comment(s.Repo, issue.Number, "/status"); err != nil {
				t.Fatal(err)
			}
			s.Until("the command is answered", func() bool { return len(s.Answers(issue.Number)) == 1 })
			s.Settle()
			after, err := s.Ledger()
			must(t, err)
			if stand(after) != stand(before) || after.Revision <= before.Revision {
				t.Errorf("revision %d, %s\nafter revision %d, %s", after.Revision, stand(after), before.Revision, stand(before))
			}
			if got := s.made(); got != made {
				t.Errorf("%s, and before %s", got, made)
			}
		})
	}
}

// A freeze that was said after the copy was taken holds.
func TestAnOldCopyForgetsNoFreeze(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]bool{"with Issues": true, "without Issues": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := served(t, servertest.Files())
			setIssues(t, s.World, files)
			s.start()
			s.InstallApp()
			s.Until("staging's check says that it waits", func() bool {
				c, ok := s.Check("stagecoach/staging")
				return ok && strings.HasPrefix(c.Title, "Waiting for merge")
			})
			s.Settle()
			s.stop()
			old := filepath.Join(t.TempDir(), "old")
			must(t, os.CopyFS(old, os.DirFS(s.DataDir)))
			s.start()
			number := s.Open()[0].Number
			ask(t, s.World, "octocat", number, "/freeze all --for 4h an audit", "+1 eyes")
			s.putBack(old)
			octocat := s.Sim.As("octocat")
			if _, err := octocat.Commit(s.Repo, "main", map[string]string{"envs/unrelated/note.yaml": "a: note\n"}, "A note"); err != nil {
				t.Fatal(err)
			}
			before := s.File("envs/dev/values.yaml")
			if _, err := octocat.Commit(s.Repo, "main", map[string]string{"app/deploy.yaml": "kind: Deployment\nmetadata: {name: new}\n"}, "A change"); err != nil {
				t.Fatal(err)
			}
			s.Settle()
			s.Settle() // what is late is written after 3 s of silence at most
			if got := s.File("envs/dev/values.yaml"); got != before {
				t.Errorf("dev was promoted in spite of the freeze:\n%s", got)
			}
			state, err := s.Ledger()
			if !files {
				state, err = onCheck(s.World), nil
			}
			if err != nil || state == nil || state.Freeze == nil {
				t.Errorf("the record holds no freeze: %v", err)
			}
		})
	}
}

// Where the store is old for one repository it is so for others, also for those that
// had no pipeline when it was copied.
func TestAnOldCopyHasAllLookedAt(t *testing.T) {
	t.Parallel()
	s := served(t, servertest.Files())
	other := second(t, s.World, "other", map[string]string{"README.md": "nothing to promote\n"})
	s.start()
	s.InstallApp(s.Repo, other)
	s.StoryToStaging()
	s.Settle()
	s.stop()
	old := filepath.Join(t.TempDir(), "old")
	must(t, os.CopyFS(old, os.DirFS(s.DataDir)))
	s.start()
	octocat := s.Sim.As("octocat")
	if _, err := octocat.Commit(other, "main", servertest.Files(), "Begin to promote"); err != nil {
		t.Fatal(err)
	}
	open := func() []ghsim.PullRequest { return s.Sim.PullRequests(other) }
	s.Until("the other repository's pull request is open", func() bool { return len(open()) == 1 })
	s.AskForProd()
	s.Settle()
	undo := s.Sim.LoseWebhooks(func(d ghsim.Delivery) bool { return d.Repository == other.ID })
	defer undo()
	if _, err := octocat.Merge(other, open()[0].Number, "squash"); err != nil {
		t.Fatal(err)
	}
	s.putBack(old)
	if _, err := octocat.Merge(s.Repo, s.Open()[0].Number, "merge"); err != nil {
		t.Fatal(err)
	}
	s.Until("the other repository's merge is found", func() bool {
		for _, c := range s.Sim.CheckRuns(other) {
			if c.Name == "stagecoach/staging" && strings.HasPrefix(c.Title, "Landed in") {
				return true
			}
		}
		return false
	})
}
