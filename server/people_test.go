package server_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

func TestCommandsThatAreWrongOrNotAllowed(t *testing.T) {
	t.Parallel()
	w := opened(t)
	w.Settle()
	issue, _ := w.TrackingIssue()
	for _, c := range []struct {
		name, by, comment, reactions string
		says                         []string // in the one answer; none: no answer
	}{
		{"an unknown stage", "octocat", "/promote prot", "confused eyes", []string{"`prot`", "Did you mean `prod`?"}},
		{"one edit from a command", "octocat", "/promot prod", "confused eyes", []string{"/promote"}},
		{"freight that is not known", "octocat", "/promote prod 1234567", "confused eyes", []string{"1234567"}},
		{"too early", "octocat", "/promote prod", "confused eyes", []string{"not yet verified in staging"}},
		{"not allowed", "monalisa", "/promote prod", "-1 eyes", []string{"@monalisa", "write access", "read"}},
		{"not a command", "octocat", "/deploy everything\n> /promote prod\n`/promote prod`", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := w.Answers(issue.Number)
			id, err := w.Sim.As(c.by).Comment(w.Repo, issue.Number, c.comment)
			if err != nil {
				t.Fatal(err)
			}
			w.Until("the reactions are "+c.reactions, func() bool { return strings.Join(w.Reactions(issue.Number, id), " ") == c.reactions })
			want := min(len(c.says), 1)
			// What was commented in the second in which the store was found empty may
			// have been answered before, and is looked for first.
			w.Until("it is answered", func() bool { return len(w.Answers(issue.Number)) >= len(before)+want })
			w.Settle()
			answers := w.Answers(issue.Number)[len(before):]
			if len(answers) != want {
				t.Fatalf("%d answers, want %d: %q", len(answers), want, answers)
			}
			for _, words := range c.says {
				if !strings.Contains(answers[0], words) {
					t.Errorf("the answer %q does not say %q", answers[0], words)
				}
			}
		})
	}
	if len(w.Open()) != 1 || len(w.Sim.Branches(w.Repo)) != 2 {
		t.Errorf("something was promoted\n%s", w.Sketch())
	}
}

func TestAMissingPermissionIsAWaitThatNamesIt(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.InstallApp()
	all := ghapi.Permissions()
	less := maps.Clone(all)
	less["pull_requests"] = "read"
	if err := w.Sim.SetInstallationPermissions(w.Install, less); err != nil {
		t.Fatal(err)
	}
	w.StartServer()
	named := func() bool {
		issue, _ := w.TrackingIssue()
		return strings.Contains(issue.Body, `pull\_requests=write`)
	}
	w.Until("the tracking issue names the permission", named)
	w.RedeliverFailed() // of before the server ran; they change nothing
	w.Settle()
	mark := w.Sim.Mark()
	commit(t, w, "topic", map[string]string{"README.md": "# on a branch\n"}, "Wake it")
	w.Settle()
	if cost := w.Since(mark); len(cost) > 0 {
		t.Errorf("while it waits, an event cost\n%s", servertest.List(cost))
	}
	if err := w.Sim.SetInstallationPermissions(w.Install, all); err != nil {
		t.Fatal(err)
	}
	w.Until("the pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Until("the tracking issue has forgotten it", func() bool { return !named() })
	branches := slices.Sorted(maps.Keys(w.Sim.Branches(w.Repo)))
	if len(branches) != 3 {
		t.Errorf("branches %v, want main, topic and one of the promotion", branches)
	}
}
