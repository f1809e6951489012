package ghsim_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestGitAccess(t *testing.T) {
	w := newWorld(t)
	public, err := w.CreateRepo("octo-org", "public", ghsim.RepoOptions{Files: map[string]string{"a": "a"}})
	must(t, err)
	must(t, w.SetPermission(w.repo, "hubot", "read"))
	url := func(credential, repo string) string {
		if credential != "" {
			credential += "@"
		}
		return strings.Replace(w.server.URL, "http://", "http://"+credential, 1) + "/" + repo
	}
	app := "x-access-token:" + w.token()
	dir := t.TempDir()
	w.mustGit(dir, "init", "-q")
	w.mustGit(dir, "commit", "-q", "--allow-empty", "-m", "x")
	for _, c := range []struct {
		name, url   string
		read, write bool
	}{
		{"installation", url(app, "acme/gitops.git"), true, true},
		{"without .git", url(app, "acme/gitops"), true, true},
		{"other case", url(app, "ACME/GitOps.git"), true, true},
		{"writer", url("octocat:"+w.AddUser("octocat"), "acme/gitops.git"), true, true},
		{"reader", url("hubot:"+w.AddUser("hubot"), "acme/gitops.git"), true, false},
		{"stranger", url("monalisa:"+w.AddUser("monalisa"), "acme/gitops.git"), false, false},
		{"nobody", url("", "acme/gitops.git"), false, false},
		{"wrong token", url("x-access-token:ghs_1_a.b.c", "acme/gitops.git"), false, false},
		{"nobody on a public one", url("", public.FullName()+".git"), true, false},
		{"installation on a public one of others", url(app, public.FullName()+".git"), true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.git(dir, "ls-remote", c.url)
			if (err == nil) != c.read {
				t.Errorf("read: %v", err)
			}
			out, err := w.git(dir, "push", "-q", c.url, "HEAD:refs/heads/"+strings.ReplaceAll(c.name, " ", "-"))
			if (err == nil) != c.write {
				t.Errorf("write: %v %s", err, out)
			}
		})
	}
	must(t, w.SetInstallationPermissions(w.inst, map[string]string{"contents": "read"}))
	if out, err := w.git(dir, "push", "-q", url("x-access-token:"+w.token(), "acme/gitops.git"), "HEAD:refs/heads/x"); err == nil {
		t.Errorf("pushed with contents: read: %s", out)
	}
}

// Whoever lost the race is told, and nothing is overwritten.
func TestLostPushIsRefused(t *testing.T) {
	w := newWorld(t)
	dir := w.clone("octocat", w.AddUser("octocat"))
	theirs, err := w.As("octocat").Commit(w.repo, "main", map[string]string{"a": "a"}, "Meanwhile")
	must(t, err)
	w.mustGit(dir, "commit", "-q", "--allow-empty", "-m", "mine")
	if out, err := w.git(dir, "push", "-q", "origin", "HEAD:main"); err == nil {
		t.Errorf("the push went through: %s", out)
	}
	if out, err := w.git(dir, "push", "-q", "origin", ":main"); err == nil {
		t.Errorf("the default branch was deleted: %s", out)
	}
	if got := w.Branches(w.repo)["main"]; got != theirs {
		t.Errorf("main is at %s, want %s", got, theirs)
	}
}

// A client may fetch one commit by its hash, shallow and without blobs.
func TestPartialFetchByHash(t *testing.T) {
	w := newWorld(t)
	sha, err := w.As("octocat").Commit(w.repo, "main", map[string]string{"a": "a"}, "A")
	must(t, err)
	_, err = w.As("octocat").Commit(w.repo, "main", map[string]string{"a": "b"}, "B")
	must(t, err)
	dir := t.TempDir()
	w.mustGit(dir, "init", "-q", "--bare")
	w.mustGit(dir, "fetch", "-q", "--depth=1", "--filter=blob:none", w.cloneURL("x-access-token", w.token()), sha)
	if got := w.mustGit(dir, "rev-list", "--count", "FETCH_HEAD"); got != "1" {
		t.Errorf("%s commits", got)
	}
	if missing := w.mustGit(dir, "rev-list", "--objects", "--missing=print", "FETCH_HEAD"); !strings.Contains(missing, "?") {
		t.Errorf("blobs came along: %s", missing)
	}
}

func TestPushEvents(t *testing.T) {
	w := newWorld(t)
	dir := w.clone("octocat", w.AddUser("octocat"))
	w.take()
	push := func(args ...string) []*github.PushEvent {
		t.Helper()
		w.mustGit(dir, append([]string{"push", "-q", "origin"}, args...)...)
		var out []*github.PushEvent
		for _, r := range w.take() {
			if r.event() == "push" {
				e, err := github.ParseWebHook("push", r.body)
				must(t, err)
				out = append(out, e.(*github.PushEvent))
			}
		}
		return out
	}
	commit := func(path, text, message string) {
		must(t, os.WriteFile(dir+"/"+path, []byte(text), 0o600))
		w.mustGit(dir, "add", "-A")
		w.mustGit(dir, "commit", "-q", "-m", message)
	}
	base := w.mustGit(dir, "rev-parse", "HEAD")
	commit("new", "1", "First\n\nwith a body")
	must(t, os.Remove(dir+"/README.md"))
	commit("new", "2", "Second")
	got := push("HEAD:main")
	if len(got) != 1 || got[0].GetBefore() != base || got[0].GetRef() != "refs/heads/main" || got[0].GetForced() || got[0].GetCreated() || len(got[0].Commits) != 2 {
		t.Fatalf("%+v", got)
	}
	first, second := got[0].Commits[0], got[0].Commits[1]
	if first.GetMessage() != "First\n\nwith a body" || !slices.Equal(first.Added, []string{"new"}) ||
		!slices.Equal(second.Removed, []string{"README.md"}) || !slices.Equal(second.Modified, []string{"new"}) || got[0].GetHeadCommit().GetID() != second.GetID() {
		t.Errorf("%+v %+v", first, second)
	}
	if got := push("HEAD:refs/heads/copy"); len(got) != 1 || !got[0].GetCreated() || len(got[0].Commits) != 0 {
		t.Errorf("a new branch without commits of its own: %+v", got)
	}
	if got := push("+" + base + ":refs/heads/copy"); len(got) != 1 || !got[0].GetForced() {
		t.Errorf("forced: %+v", got)
	}
	if got := push(":copy"); len(got) != 1 || !got[0].GetDeleted() || got[0].HeadCommit != nil {
		t.Errorf("deleted: %+v", got)
	}
	if got := push("HEAD:refs/tags/1", "HEAD:refs/tags/2", "HEAD:refs/tags/3"); len(got) != 3 {
		t.Errorf("three tags: %d events", len(got))
	}
	if got := push("HEAD:refs/tags/4", "HEAD:refs/tags/5", "HEAD:refs/tags/6", "HEAD:refs/tags/7"); len(got) != 0 {
		t.Errorf("four tags: %d events", len(got))
	}
}

func TestImportFromGit(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	w.mustGit(dir, "init", "-q", "--initial-branch=trunk")
	must(t, os.WriteFile(dir+"/a", []byte("a"), 0o600))
	w.mustGit(dir, "add", "a")
	w.mustGit(dir, "commit", "-q", "-m", "A")
	w.mustGit(dir, "tag", "v1")
	w.mustGit(dir, "branch", "other")
	repo, err := w.CreateRepo("acme", "imported", ghsim.RepoOptions{FromGit: dir})
	must(t, err)
	if text, err := w.File(repo, "v1", "a"); err != nil || text != "a" || repo.DefaultBranch != "trunk" || len(w.Branches(repo)) != 2 {
		t.Errorf("%q %v %+v %v", text, err, repo, w.Branches(repo))
	}
	if _, err := w.CreateRepo("acme", "broken", ghsim.RepoOptions{FromGit: t.TempDir()}); err == nil {
		t.Error("imported a directory that is no repository")
	}
	if _, err := w.CreateRepo("Acme", "Imported", ghsim.RepoOptions{}); err == nil {
		t.Error("made the same repository twice")
	}
}

func TestRefs(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	_, err := w.As("octocat").Commit(w.repo, "team/next", map[string]string{"a": "a"}, "A")
	must(t, err)
	if b, _, err := w.rest.Repositories.GetBranch(ctx, "acme", "gitops", "team/next", 0); err != nil || b.GetCommit().GetCommit().GetMessage() != "A" {
		t.Errorf("branch with a slash: %v %v", b, err)
	}
	if _, _, err := w.rest.Git.GetRef(ctx, "acme", "gitops", "heads/team/next"); err != nil {
		t.Errorf("ref with a slash: %v", err)
	}
	_, err = w.rest.Git.DeleteRef(ctx, "acme", "gitops", "heads/team/next")
	must(t, err)
	_, err = w.rest.Git.DeleteRef(ctx, "acme", "gitops", "heads/team/next")
	if status(err) != 422 || !strings.Contains(err.Error(), "Reference does not exist") {
		t.Errorf("deleted twice: %v", err)
	}
	if _, err = w.rest.Git.DeleteRef(ctx, "acme", "gitops", "heads/main"); status(err) != 422 {
		t.Errorf("default branch: %v", err)
	}
}

func TestGitVersion(t *testing.T) {
	for text, good := range map[string]bool{
		"git version 2.39.5\n": true, "git version 2.38.0.windows.1": true, "git version 3.0.0": true,
		"git version 2.37.9": false, "git version 1.9": false, "hg 1": false,
	} {
		if err := ghsim.CheckGitVersion(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}
