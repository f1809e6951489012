package server_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// checkout is somebody's clone of a repository, to push from what the API cannot make.
type checkout struct {
	t   *testing.T
	dir string
}

func clone(t *testing.T, w *servertest.World, repo ghsim.Repo) *checkout {
	t.Helper()
	c := &checkout{t, filepath.Join(t.TempDir(), "clone")}
	url := strings.Replace(repo.CloneURL, "://", "://octocat:"+w.Sim.AddUser("octocat")+"@", 1)
	c.run("", "clone", "-q", url, c.dir)
	return c
}

func (c *checkout) run(stdin string, args ...string) string {
	c.t.Helper()
	at := c.dir
	if args[0] == "clone" {
		at = filepath.Dir(c.dir)
	}
	out, err := gitopstest.Git(at, stdin, args...)
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// git runs several commands, words apart by spaces.
func (c *checkout) git(commands ...string) {
	c.t.Helper()
	for _, each := range commands {
		c.run("", strings.Fields(each)...)
	}
}

// commit changes one file on the current branch, and gives the commit.
func (c *checkout) commit(path, content string) string {
	c.t.Helper()
	branch := c.run("", "symbolic-ref", "HEAD")
	c.run(fmt.Sprintf("commit %s\ncommitter o <o@example.com> 1700000000 +0000\ndata 6\nChange\nfrom HEAD\nM 100644 inline %s\ndata %d\n%s\n",
		branch, path, len(content), content), "fast-import", "--quiet", "--force")
	c.git("reset -q --hard")
	return c.run("", "rev-parse", "HEAD")
}

// merge merges another branch, whose changes the message speaks of.
func (c *checkout) merge(branch string) string {
	c.t.Helper()
	c.run("", "-c", "user.name=o", "-c", "user.email=o@example.com", "merge", "-q", "--no-ff", "-m", "Merge branch '"+branch+"'", branch)
	return c.run("", "rev-parse", "HEAD")
}

// started is a world with a server that has looked at everything once.
func started(t *testing.T, files map[string]string, more ...ghsim.Repo) *servertest.World {
	t.Helper()
	w := servertest.New(t, files)
	w.InstallApp(append([]ghsim.Repo{w.Repo}, more...)...)
	w.StartServer()
	w.Settle()
	return w
}

// holds fails unless dev got the commit, or is as it was for "".
func holds(t *testing.T, w *servertest.World, what, before, want string) {
	t.Helper()
	if want != "" {
		w.Until(what+" is promoted", func() bool { return strings.Contains(w.File("dev.yaml"), want) })
	}
	w.Settle()
	if now := w.File("dev.yaml"); want == "" && now != before {
		t.Errorf("%s made freight: %s", what, now)
	}
}

// What a push changed is told by the commits that it lists, and by git where they do
// not say everything.
func TestWhatAPushChanged(t *testing.T) {
	t.Parallel()
	files := following("git: {paths: [app], ignore: ['**/*.md']}", "freight.app.commit")
	files["app/main.go"], files["app/notes.md"], files["docs/a.txt"] = "package main\n", "# Notes\n", "a\n"
	w := started(t, files)
	steps := []struct {
		what string
		push func(c *checkout) (newest string)
	}{
		{"a change of another folder", func(c *checkout) string { c.commit("docs/a.txt", "b"); return "" }},
		{"a change of what is ignored", func(c *checkout) string { c.commit("app/notes.md", "b"); return "" }},
		{"a change that the same push takes back", func(c *checkout) string {
			c.commit("app/main.go", "package broken\n")
			c.commit("app/main.go", "package main\n")
			return ""
		}},
		{"a change that the same push makes better", func(c *checkout) string {
			c.commit("app/main.go", "package first\n")
			return c.commit("app/main.go", "package second\n")
		}},
		{"a merge of somebody's branch", func(c *checkout) string {
			c.git("checkout -q -b feature")
			c.commit("app/feature.go", "package main\n")
			c.git("checkout -q main")
			c.commit("docs/a.txt", "c")
			return c.merge("feature")
		}},
		{"a merge of a branch that changed nothing here", func(c *checkout) string {
			c.git("checkout -q -b words")
			c.commit("docs/b.txt", "b")
			c.git("checkout -q main")
			c.commit("docs/a.txt", "d")
			c.merge("words")
			return ""
		}},
		{"a file that was moved away", func(c *checkout) string {
			c.git("mv app/feature.go docs/feature.go", "-c user.name=o -c user.email=o@example.com commit -q -m Move")
			return c.run("", "rev-parse", "HEAD")
		}},
		{"more commits than a payload lists", func(c *checkout) string {
			var in strings.Builder
			for i := range 2100 {
				path := "docs/a.txt"
				if i == 0 {
					path = "app/main.go" // the oldest is not listed
				}
				fmt.Fprintf(&in, "commit refs/heads/main\ncommitter o <o@example.com> 1700000000 +0000\ndata 1\n.\n")
				if i == 0 {
					in.WriteString("from refs/heads/main^0\n")
				}
				fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%d\n", path, len(fmt.Sprint(i)), i)
			}
			c.run(in.String(), "fast-import", "--quiet")
			return c.run("", "rev-parse", "main")
		}},
	}
	for _, step := range steps {
		before := w.File("dev.yaml")
		c := clone(t, w, w.Repo)
		want := step.push(c)
		c.git("push -q origin main")
		holds(t, w, step.what, before, want)
	}
}

// A branch that is forced back brings back freight that is known; one that is forced
// elsewhere brings new freight.
func TestForcedPushes(t *testing.T) {
	t.Parallel()
	files := following("git: {branch: next, paths: [app]}", "freight.app.commit")
	files["app/main.go"] = "package main\n"
	w := started(t, files)
	c := clone(t, w, w.Repo)
	c.git("checkout -q -b next")
	first := c.commit("app/main.go", "package first\n")
	c.git("push -q origin next")
	holds(t, w, "a new branch", "", first)
	second := c.commit("app/main.go", "package second\n")
	c.git("push -q origin next")
	holds(t, w, "a push", "", second)
	c.git("reset -q --hard "+first, "push -q -f origin next")
	before := w.File("dev.yaml")
	holds(t, w, "a branch that was forced back", before, "")
	s, err := w.Ledger()
	if err != nil || len(s.Pipelines["default"].Freight) != 2 || s.Pipelines["default"].Artifacts["app"].Commit != first {
		t.Errorf("after it was forced back: %+v, %v", s.Pipelines["default"], err)
	}
	away := c.commit("app/main.go", "package away\n")
	c.git("push -q -f origin next")
	holds(t, w, "a branch that goes on from there", before, away)
	c.git("checkout -q --orphan anew", "rm -rfq .")
	c.run("commit refs/heads/anew\ncommitter o <o@example.com> 1700000000 +0000\ndata 1\n.\nM 100644 inline app/main.go\ndata 2\nx\n\n", "fast-import", "--quiet")
	c.git("push -q -f origin anew:next")
	holds(t, w, "a branch of another history", before, c.run("", "rev-parse", "anew"))
}

// Of more than three tags in one push GitHub tells nothing: a look finds them.
func TestTagsThatNobodyTellsOf(t *testing.T) {
	t.Parallel()
	w := started(t, following("git: {tags: {constraint: ^1.0.0}}", "freight.app.tag"))
	c := clone(t, w, w.Repo)
	c.git("tag v1.0.0", "tag v1.1.0", "tag v1.2.0", "tag v2.0.0", "push -q origin --tags")
	holds(t, w, "a push of four tags", w.File("dev.yaml"), "")
	if err := w.Sim.As("octocat").Dispatch(w.Repo, "stagecoach", map[string]any{"source": "app"}); err != nil {
		t.Fatal(err)
	}
	holds(t, w, "the highest of them", "", "v1.2.0")
	c.git("push -q origin :refs/tags/v1.2.0")
	w.Until("a tag that was deleted is said", func() bool {
		issue, _ := w.TrackingIssue()
		return strings.Contains(issue.Body, "v1.2.0 is not in")
	})
	c.git("tag -f v1.2.0 HEAD", "push -q origin v1.2.0")
	w.Until("it counts again when it is back", func() bool {
		s, err := w.Ledger()
		return err == nil && len(s.Pipelines["default"].Blocked) == 0
	})
}
