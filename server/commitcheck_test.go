package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// commitRuns are the check runs of the app that say on a commit where it is.
func commitRuns(w *servertest.World, repo ghsim.Repo, sha string) (out []ghsim.CheckRun) {
	for _, c := range w.Sim.CheckRuns(repo) {
		if c.HeadSHA == sha && strings.HasPrefix(c.Name, "stagecoach freight") {
			out = append(out, c)
		}
	}
	return out
}

// untilSays waits until the one check run on a commit has a title.
func untilSays(t *testing.T, w *servertest.World, repo ghsim.Repo, sha, title string) ghsim.CheckRun {
	t.Helper()
	w.Until("the commit says "+title, func() bool {
		runs := commitRuns(w, repo, sha)
		return len(runs) == 1 && runs[0].Title == title
	})
	return commitRuns(w, repo, sha)[0]
}

// writesOf counts the requests that wrote check runs in a repository since a mark.
func writesOf(w *servertest.World, since ghsim.Mark, repo string) (n int) {
	for _, r := range w.Since(since) {
		if servertest.IsWrite(r) && strings.HasPrefix(r.Path, "/repos/"+repo+"/check-runs") {
			n++
		}
	}
	return n
}

// showing is a pipeline with dev, which promotes itself, and prod by pull request; the
// source shows its commits.
func showing(source string) map[string]string {
	files := following("git: {"+source+"checkRun: true}", "freight.app.commit")
	files[".github/stagecoach.yml"] += "  - name: prod\n    after: [dev]\n    steps:\n" +
		"      - {uses: yaml-update, config: {path: prod.yaml, updates: [{key: version, value: '${{ freight.app.commit }}'}]}}\n"
	files["prod.yaml"] = "version: none\n"
	return files
}

// A commit of acme/app says where it is in acme/gitops: one check run, edited in place,
// one write for each moment. It wakes nothing, and is none of the promotions' own.
func TestACommitOfAnotherRepositorySaysWhereItIs(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, showing("repo: acme/app, "))
	app := second(t, w, "app", map[string]string{".github/stagecoach.yml": "version: 1\nshare: [acme/gitops]\n"})
	w.InstallApp(w.Repo, app)
	w.StartServer()
	octocat := w.Sim.As("octocat")
	untilSays(t, w, app, w.Sim.Branches(app)["main"], "In dev · next: prod")
	w.Settle()

	mark := w.Sim.Mark()
	sha, err := octocat.Commit(app, "main", map[string]string{"main.go": "package main\n"}, "Change the app")
	if err != nil {
		t.Fatal(err)
	}
	run := untilSays(t, w, app, sha, "In dev · next: prod")
	w.Settle()
	if n := writesOf(w, mark, "acme/app"); n != 1 {
		t.Errorf("a landing cost %d writes there, want 1\n%s", n, servertest.List(w.Since(mark)))
	}
	if run.Name != "stagecoach freight (acme/gitops)" || run.Conclusion != "neutral" || len(run.Actions) != 0 {
		t.Errorf("the check run is %+v", run)
	}

	issue, _ := w.TrackingIssue()
	if _, err := octocat.Comment(w.Repo, issue.Number, "/promote prod"); err != nil {
		t.Fatal(err)
	}
	w.Until("prod's pull request is open", func() bool { return len(w.Open()) == 1 })
	untilSays(t, w, app, sha, "In dev · waits for prod (#2)")
	if _, err := octocat.Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
		t.Fatal(err)
	}
	run = untilSays(t, w, app, sha, "In dev, prod")
	w.Settle()
	if run.Conclusion != "success" || !strings.Contains(run.Summary, "acme/gitops/issues/1") {
		t.Errorf("in the end it is %+v", run)
	}
	if n := writesOf(w, mark, "acme/app"); n != 4 { // with the older commit, which prod got with it
		t.Errorf("%d writes to the end, want 3 and 1 for the commit before\n%s", n, servertest.List(w.Since(mark)))
	}

	mark = w.Sim.Mark() // what was written there comes back as events
	for _, d := range w.Sim.Deliveries() {
		if d.Event == "check_run" && d.Repository == app.ID {
			if status, answer := w.Post(servertest.Secret, d.Event, d.Payload); status/100 != 2 {
				t.Errorf("answered %d: %s", status, answer)
			}
		}
	}
	w.Settle()
	if cost := w.Since(mark); len(cost) > 0 {
		t.Errorf("its own check runs wake the app:\n%s", servertest.List(cost))
	}
}

// On the commits of its own repository too, and not on those that promotions made; with
// the disk lost the check run that is there goes on.
func TestACommitSaysWhereItIsWhenTheDiskIsLost(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, showing("paths: [app], "))
	w.InstallApp(w.Repo)
	w.StartServer()
	w.Settle()
	octocat := w.Sim.As("octocat")
	sha, err := octocat.Commit(w.Repo, "main", map[string]string{"app/main.go": "package main\n"}, "Change the app")
	if err != nil {
		t.Fatal(err)
	}
	untilSays(t, w, w.Repo, sha, "In dev · next: prod")
	w.Settle()
	w.StopServer()
	w.DataDir = t.TempDir()
	mark := w.Sim.Mark()
	w.StartServer()
	issue, _ := w.TrackingIssue()
	if _, err := octocat.Comment(w.Repo, issue.Number, "/promote prod"); err != nil {
		t.Fatal(err)
	}
	w.Until("prod's pull request is open", func() bool { return len(w.Open()) == 1 })
	untilSays(t, w, w.Repo, sha, "In dev · waits for prod (#2)")
	w.Settle()
	for _, c := range w.Sim.CheckRuns(w.Repo) {
		if strings.HasPrefix(c.Name, "stagecoach freight") && c.HeadSHA != sha {
			t.Errorf("a check run on %.7s, which is no freight: %s", c.HeadSHA, c.Title)
		}
	}
	written := 0
	for _, r := range w.Since(mark) {
		if servertest.IsWrite(r) && strings.Contains(r.Path, "/check-runs") {
			written++
		}
	}
	if written != 2 {
		t.Errorf("%d check runs were written, want that of the pull request and that of the commit\n%s", written, servertest.List(w.Since(mark)))
	}
}

// A repository that does not share, though it is public and has the app, is not written
// to; and where a permission is missing it is left out, and said.
func TestCommitsThatMayNotBeWrittenOn(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, showing("repo: acme/open, "))
	open, err := w.Sim.CreateRepo("acme", "open", ghsim.RepoOptions{Files: map[string]string{"a": "b\n"}})
	if err != nil {
		t.Fatal(err)
	}
	w.InstallApp(w.Repo, open)
	mark := w.Sim.Mark()
	w.StartServer()
	w.Until("its tip is promoted", func() bool { return strings.Contains(w.File("dev.yaml"), w.Sim.Branches(open)["main"]) })
	w.Until("it is said that it does not share", func() bool {
		issue, _ := w.TrackingIssue()
		return strings.Contains(issue.Body, "acme/open does not share with acme/gitops")
	})
	w.Settle()
	if n := writesOf(w, mark, "acme/open"); n != 0 || len(w.Sim.CheckRuns(open)) != 0 {
		t.Errorf("%d check runs were written to a repository that does not share", n)
	}
	w.Sim.Fault(ghsim.Fault{
		Route: "POST /repos/{owner}/{repo}/check-runs", Match: func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/acme/open/") }, Times: -1,
		Status: http.StatusForbidden, Body: `{"message":"Resource not accessible by integration"}`, Header: http.Header{"X-Accepted-Github-Permissions": {"checks=write"}},
	})
	octocat := w.Sim.As("octocat")
	if err := w.Sim.SetPermission(open, "octocat", "write"); err != nil {
		t.Fatal(err)
	}
	mark = w.Sim.Mark()
	var sha string
	for _, text := range []string{"version: 1\nshare: [acme/gitops]\n", "version: 1\nshare: [acme/gitops, acme/other]\n"} {
		if sha, err = octocat.Commit(open, "main", map[string]string{".github/stagecoach.yml": text}, "Share"); err != nil {
			t.Fatal(err)
		}
		w.Until("it is promoted", func() bool { return strings.Contains(w.File("dev.yaml"), sha) })
		w.Settle()
	}
	issue, _ := w.TrackingIssue()
	if want := "Check runs on the commits of the source app are left out: the app may not write the check run on"; strings.Count(issue.Body, want) != 1 || !strings.Contains(issue.Body, "checks=write") {
		t.Errorf("it is not said once that a permission is missing:\n%s", issue.Body)
	}
	if n := writesOf(w, mark, "acme/open"); n != 1 {
		t.Errorf("it was tried %d times, want once\n%s", n, servertest.List(w.Since(mark)))
	}
}
