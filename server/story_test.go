package server_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

func TestAChangeTravelsFromDevToProd(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	octocat := w.Sim.As("octocat")

	w.Until("dev landed and staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	log, err := w.Sim.Log(w.Repo, "main")
	if err != nil || len(log) != 2 {
		t.Fatalf("main has %d commits (%v), want 2", len(log), err)
	}
	freight := log[1].SHA[:7]
	if got := w.File("envs/dev/values.yaml"); got != "image:\n  tag: "+quoted(freight)+" # set by Stagecoach\nreplicas: 3\n" {
		t.Errorf("dev's values:\n%s", got)
	}
	pr := w.Open()[0]
	if pr.Title != "Promote app "+freight+" to staging" {
		t.Errorf("the pull request is called %q", pr.Title)
	}
	w.Until("its check says that it waits", func() bool {
		c, ok := w.Check("stagecoach/staging")
		return ok && c.HeadSHA == pr.HeadSHA && c.Conclusion == "success" && c.Title == "Waiting for merge: all gates are open"
	})
	w.Until("there is a tracking issue", func() bool { _, ok := w.TrackingIssue(); return ok })
	if _, err := octocat.Merge(w.Repo, pr.Number, "squash"); err != nil {
		t.Fatal(err)
	}
	w.Until("staging landed", func() bool {
		c, ok := w.Check("stagecoach/staging")
		return ok && strings.HasPrefix(c.Title, "Landed in")
	})
	issue, _ := w.TrackingIssue()
	comment, err := octocat.Comment(w.Repo, issue.Number, "Ship it.\n/promote prod\n")
	if err != nil {
		t.Fatal(err)
	}
	w.Until("prod's pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Until("the command is answered", func() bool {
		return strings.Join(w.Reactions(issue.Number, comment), " ") == "eyes rocket"
	})
	if _, err := octocat.Merge(w.Repo, w.Open()[0].Number, "merge"); err != nil {
		t.Fatal(err)
	}
	w.Until("prod landed", func() bool {
		c, ok := w.Check("stagecoach/prod")
		return ok && strings.HasPrefix(c.Title, "Landed in")
	})
	w.Until("the branches are gone", func() bool { return len(w.Sim.Branches(w.Repo)) == 1 })
	if !strings.Contains(w.File("envs/prod/kustomization.yaml"), "newTag: "+quoted(freight)) {
		t.Errorf("prod holds\n%s", w.File("envs/prod/kustomization.yaml"))
	}
	w.Until("the tracking issue says that nothing waits", func() bool {
		issue, _ := w.TrackingIssue()
		return strings.Contains(issue.Body, "Nothing waits for anybody.")
	})
	t.Log(w.Sketch())
}

// quoted is a short SHA as YAML needs it: one of digits alone, or with an e
// between digits, would be a number.
func quoted(tag string) string {
	if regexp.MustCompile(`^[0-9]+(e[0-9]+)?$`).MatchString(tag) {
		return `"` + tag + `"`
	}
	return tag
}
