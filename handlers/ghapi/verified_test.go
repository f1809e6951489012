package ghapi_test

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// apiCommit is a commit by the API on main's tip. Its tree is the one that a push of
// the same files makes.
func (w *world) apiCommit(files map[string]string) promotion.APICommit {
	w.t.Helper()
	tip := w.Branches(w.gitops)["main"]
	sha, err := w.As("octocat").Commit(w.gitops, "pushed", files, "By a push")
	must(w.t, err)
	pushed, err := w.Log(w.gitops, sha)
	must(w.t, err)
	c := promotion.APICommit{
		Branch: "main", Old: tip, Parent: tip, BaseTree: tip, Tree: pushed[0].Tree,
		Message: "Promote web\n\nStagecoach-Promotion: " + promo,
	}
	for path, content := range files {
		f := promotion.File{Path: path, Mode: 0o100644, Content: []byte(content)}
		if content == ghsim.Deleted {
			f = promotion.File{Path: path, Deleted: true}
		}
		c.Files = append(c.Files, f)
	}
	return c
}

func TestCommitByTheAPI(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		branch string
		cost   string
	}{
		"on a branch":  {map[string]string{"envs/prod/values.yaml": "tag: 1.4.2\n"}, "main", "3 writes, 0 reads"},
		"a new branch": {map[string]string{"envs/prod/values.yaml": "tag: 1.4.2\n"}, "stagecoach/default/prod/x", "3 writes, 0 reads"},
		"no text":      {map[string]string{"a.bin": "\xff\x00", "b.bin": "\xfe", "c": "text"}, "main", "5 writes, 0 reads"},
		"empty file":   {map[string]string{"deep/er/empty": ""}, "main", "3 writes, 0 reads"},
		"deleted":      {map[string]string{"envs/prod/values.yaml": ghsim.Deleted, "b": "b"}, "main", "3 writes, 0 reads"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			change := w.apiCommit(c.files)
			if change.Branch = c.branch; c.branch != "main" {
				change.Old = ""
			}
			var sha string
			w.costs(c.cost, func() {
				var err error
				sha, err = w.Commit(t.Context(), w.repo(), change)
				must(t, err)
			})
			if tip := w.Branches(w.gitops)[c.branch]; tip != sha {
				t.Errorf("the branch is at %s, not %s", tip, sha)
			}
			log, err := w.Log(w.gitops, sha)
			must(t, err)
			if log[0].Tree != change.Tree || log[0].Message != change.Message || log[0].Parents[0] != change.Parent {
				t.Errorf("commit %+v", log[0])
			}
			if !strings.HasPrefix(log[0].Author.Name, "stagecoach[bot]") {
				t.Errorf("the author is %s", log[0].Author.Name)
			}
		})
	}
}

// TestACopyByTheAPI names the blob that GitHub holds: its content is not sent, so it
// may be no text, and larger than what the API takes.
func TestACopyByTheAPI(t *testing.T) {
	w := newWorld(t)
	const content = "\xff\x00 no text"
	_, err := w.As("octocat").Commit(w.gitops, "main", map[string]string{"a.bin": content}, "Add")
	must(t, err)
	change := w.apiCommit(map[string]string{"copy.bin": content})
	change.Files[0].Content = nil
	change.Files[0].Blob = fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content)))
	w.costs("3 writes, 0 reads", func() {
		sha, err := w.Commit(t.Context(), w.repo(), change)
		must(t, err)
		log, err := w.Log(w.gitops, sha)
		must(t, err)
		if log[0].Tree != change.Tree {
			t.Errorf("the tree is %s, want %s", log[0].Tree, change.Tree)
		}
	})
}

func TestCommitByTheAPIThatCannotBe(t *testing.T) {
	values := map[string]string{"envs/prod/values.yaml": "tag: 1.4.2\n"}
	for name, c := range map[string]struct {
		spoil func(w *world, c *promotion.APICommit)
		want  func(err error) bool
	}{
		"the branch moved": {func(w *world, _ *promotion.APICommit) {
			_, err := w.As("octocat").Commit(w.gitops, "main", map[string]string{"b": "b"}, "Faster")
			must(w.t, err)
		}, isStale},
		"the branch is there": {func(_ *world, c *promotion.APICommit) { c.Old, c.Branch = "", "pushed" }, isStale},
		"the branch is gone":  {func(_ *world, c *promotion.APICommit) { c.Branch = "gone" }, isStale},
		"another tree":        {func(_ *world, c *promotion.APICommit) { c.Tree = strings.Repeat("1", 40) }, isNotByAPI},
		"too large":           {func(_ *world, c *promotion.APICommit) { c.Files[0].Content = make([]byte, 9<<20) }, isNotByAPI},
		"a name that is no text": {func(_ *world, c *promotion.APICommit) {
			c.Files[0].Path = "\xff"
		}, isNotByAPI},
		"a rule": {func(w *world, _ *promotion.APICommit) {
			_, err := w.AddRuleset(w.gitops, "main", ghsim.Rules{PullRequest: true})
			must(w.t, err)
		}, func(err error) bool {
			return promotion.IsTerminal(err) && strings.Contains(err.Error(), "deliver: pull-request")
		}},
		"no permission": {func(w *world, _ *promotion.APICommit) {
			fewer := ghapi.Permissions()
			fewer["contents"] = "read"
			must(w.t, w.SetInstallationPermissions(w.inst, fewer))
		}, func(err error) bool { var m *promotion.MissingPermission; return errors.As(err, &m) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			change := w.apiCommit(values)
			c.spoil(w, &change)
			before := w.Branches(w.gitops)
			sha, err := w.Commit(t.Context(), w.repo(), change)
			if err == nil || !c.want(err) {
				t.Errorf("commit %q, error %v", sha, err)
			}
			if after := w.Branches(w.gitops); !maps.Equal(before, after) {
				t.Errorf("branches %v became %v", before, after)
			}
		})
	}
}

func isStale(err error) bool    { return errors.Is(err, promotion.ErrStale) }
func isNotByAPI(err error) bool { return errors.Is(err, promotion.ErrNotByAPI) }
