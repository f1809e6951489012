package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// second makes another repository of acme, to which octocat may write.
func second(t *testing.T, w *servertest.World, name string, files map[string]string) ghsim.Repo {
	t.Helper()
	repo, err := w.Sim.CreateRepo("acme", name, ghsim.RepoOptions{Private: true, Files: files})
	if err == nil {
		err = w.Sim.SetPermission(repo, "octocat", "write")
	}
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// commits are the first lines of what a repository's main went through, the newest first.
func commits(t *testing.T, w *servertest.World, repo ghsim.Repo) (out []string) {
	t.Helper()
	log, err := w.Sim.Log(repo, "main")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range log {
		title, _, _ := strings.Cut(c.Message, "\n")
		out = append(out, title)
	}
	return out
}

// Two repositories follow each other. What one promotes is a commit of the other's
// source, and would be promoted there, and so on for ever.
func TestTwoRepositoriesThatFollowEachOther(t *testing.T) {
	t.Parallel()
	each := func(other string) map[string]string {
		files := following("git: {repo: acme/"+other+"}", "freight.app.commit")
		files[".github/stagecoach.yml"] += "share: [acme/" + other + "]\n"
		return files
	}
	w := servertest.New(t, each("mirror"))
	mirror := second(t, w, "mirror", each("gitops"))
	w.InstallApp(w.Repo, mirror)
	w.StartServer()
	at := func(repo ghsim.Repo) string {
		text, _ := w.Sim.File(repo, "main", "dev.yaml")
		return text
	}
	w.Until("each holds the other's first commit", func() bool {
		return !strings.Contains(at(w.Repo), "none") && !strings.Contains(at(mirror), "none")
	})
	w.Settle()
	for _, repo := range []ghsim.Repo{w.Repo, mirror} {
		if got := commits(t, w, repo); len(got) != 2 {
			t.Errorf("%s: %q, want the first commit and one promotion", repo.Name, got)
		}
	}
	sha, err := w.Sim.As("octocat").Commit(mirror, "main", map[string]string{"README.md": "# Mirror\n"}, "Say what it is")
	if err != nil {
		t.Fatal(err)
	}
	w.Until("a person's commit is promoted", func() bool { return strings.Contains(at(w.Repo), sha) })
	w.Settle()
	if got := commits(t, w, w.Repo); len(got) != 3 {
		t.Errorf("gitops: %q", got)
	}
	if got := commits(t, w, mirror); len(got) != 3 {
		t.Errorf("mirror: %q: what was promoted in gitops came back", got)
	}
}

// A source that was renamed goes on under its former name, and it is said; one that is
// archived can still be read.
func TestASourceThatIsRenamedAndArchived(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, following("git: {repo: acme/app}", "freight.app.commit"))
	app := second(t, w, "app", map[string]string{".github/stagecoach.yml": "version: 1\nshare: [acme/gitops]\n"})
	w.InstallApp(w.Repo, app)
	w.StartServer()
	w.Until("its tip is promoted", func() bool { return !strings.Contains(w.File("dev.yaml"), "none") })
	w.Settle()
	octocat := w.Sim.As("octocat")
	if _, err := w.Sim.RenameRepo(app, "api"); err != nil {
		t.Fatal(err)
	}
	commit := func() string {
		sha, err := octocat.Commit(app, "main", map[string]string{"a.txt": fmt.Sprint(w.Sim.Mark())}, "Change")
		if err != nil {
			t.Fatal(err)
		}
		return sha
	}
	look := func() {
		if err := octocat.Dispatch(w.Repo, "stagecoach", nil); err != nil {
			t.Fatal(err)
		}
	}
	before := w.File("dev.yaml")
	sha := commit()
	w.Settle()
	look()
	holds(t, w, "what is new under the new name", before, sha)
	w.Until("the new name is said", func() bool {
		issue, _ := w.TrackingIssue()
		return strings.Contains(issue.Body, "called acme/api now")
	})
	s, err := w.Ledger()
	if err != nil || len(s.Pipelines["default"].Freight) != 2 || s.Pipelines["default"].Artifacts["app"].Repo != "acme/app" {
		t.Errorf("freight goes by the name that the pipeline has: %+v, %v", s.Pipelines["default"].Artifacts, err)
	}
	sha = commit()
	if err := w.Sim.SetArchived(app, true); err != nil {
		t.Fatal(err)
	}
	look()
	holds(t, w, "what was pushed before it was archived", before, sha)
}

// A repository that does not exist and one that does not share are told alike, and a
// public one can be read by all.
func TestWhatMayBeFollowed(t *testing.T) {
	t.Parallel()
	files := following("git: {repo: acme/open}", "freight.app.commit")
	for _, name := range []string{"closed", "missing"} {
		files[".github/stagecoach/"+name+".yml"] = "version: 1\nsources: [{name: app, git: {repo: acme/" + name + "}}]\nstages: [{name: dev, deliver: commit}]\n"
	}
	w := servertest.New(t, files)
	open, err := w.Sim.CreateRepo("acme", "open", ghsim.RepoOptions{Files: map[string]string{"a": "b\n"}})
	if err != nil {
		t.Fatal(err)
	}
	closed := second(t, w, "closed", map[string]string{"a": "b\n"})
	w.InstallApp(w.Repo, closed)
	w.StartServer()
	w.Until("the public one is promoted", func() bool {
		return strings.Contains(w.File("dev.yaml"), w.Sim.Branches(open)["main"])
	})
	w.Settle()
	issue, _ := w.TrackingIssue()
	for _, name := range []string{"closed", "missing"} {
		if want := "acme/" + name + " cannot be read: install the app there, and let its .github/stagecoach.yml say"; !strings.Contains(strings.ReplaceAll(issue.Body, "\\", ""), want) {
			t.Errorf("%s is not said:\n%s", name, issue.Body)
		}
	}
}

// An older commit of the repository's own branch is found by its hash, and one that a
// promotion made is not.
func TestAnOlderCommitIsPromotedByItsHash(t *testing.T) {
	t.Parallel()
	files := following("git: {paths: [app]}", "freight.app.commit")
	files[".github/stagecoach.yml"] += "  - name: hand\n    deliver: commit\n    steps:\n" +
		"      - {uses: yaml-update, config: {path: hand.yaml, updates: [{key: version, value: '${{ freight.app.commit }}'}]}}\n"
	files["hand.yaml"], files["app/main.go"] = "version: none\n", "package main\n"
	w := servertest.New(t, files)
	octocat := w.Sim.As("octocat")
	old, err := octocat.Commit(w.Repo, "main", map[string]string{"app/main.go": "package old\n"}, "Before the app was there")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := octocat.Commit(w.Repo, "main", map[string]string{"app/main.go": "package new\n"}, "Newer"); err != nil {
		t.Fatal(err)
	}
	w.InstallApp()
	w.StartServer()
	w.Until("the newest is promoted", func() bool { return !strings.Contains(w.File("dev.yaml"), "none") })
	w.Settle()
	promoted := w.Sim.Branches(w.Repo)["main"]
	issue, _ := w.TrackingIssue()
	if _, err := octocat.Comment(w.Repo, issue.Number, "/promote hand "+old[:10]); err != nil {
		t.Fatal(err)
	}
	w.Until("the older commit is promoted", func() bool { return strings.Contains(w.File("hand.yaml"), old) })
	if _, err := octocat.Comment(w.Repo, issue.Number, "/promote hand "+promoted[:10]); err != nil {
		t.Fatal(err)
	}
	w.Until("it is said that a promotion's commit is no freight", func() bool {
		return strings.Contains(strings.Join(w.Answers(issue.Number), "\n"), promoted[:10]+" is not known here, and no source has it")
	})
}
