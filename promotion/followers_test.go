package promotion_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// Whoever is asked by the folders of a push are those who would have been asked among all.
func TestAPushAsksWhomItConcerns(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	patterns := []string{"app", "app/**", "app/*/x", "*/b", "**/c", "app/b/c.go", "/lib/", "lib/?/y", "app/b*", "", "a/very/deep/folder/**", "envs/prod/*.yaml"}
	paths := []string{"app/main.go", "app/b/c.go", "app/b/x", "b", "lib/a/y", "lib", "README.md", "a/very/deep/folder/f", "a/very/deep/other", "envs/prod/v.yaml", "envs/prod/deep/v.yaml", "app/bc/d", "c"}
	for round := range 200 {
		var pipelines []*promotion.Pipeline
		for i := range 8 {
			p := pt.Pipeline(fmt.Sprintf("p%d", i), pt.Stage("dev"))
			p.Sources[0].Git.Paths = nil
			for range r.IntN(3) {
				if pattern := patterns[r.IntN(len(patterns))]; pattern != "" {
					p.Sources[0].Git.Paths = append(p.Sources[0].Git.Paths, pattern)
				}
			}
			pipelines = append(pipelines, p)
		}
		w := pt.NewWorld(pipelines...)
		e := pt.Push(pt.SHA("c1"))
		body := e.Body.(promotion.Pushed)
		body.Commits = []promotion.PushedCommit{{SHA: pt.SHA("c1")}}
		for range r.IntN(3) {
			body.Commits[0].Paths = append(body.Commits[0].Paths, paths[r.IntN(len(paths))])
		}
		e.Body = body
		w.Take(e)
		for _, p := range pipelines {
			_, got := w.State.Pipelines[p.Name].Artifacts["app"]
			if want := p.Sources[0].Git.Touches(body.Commits[0].Paths); got != want {
				t.Fatalf("round %d: a push of %q, and %q: asked %v, want %v", round, body.Commits[0].Paths, p.Sources[0].Git.Paths, got, want)
			}
		}
	}
}

// The names that sources go by may change, and the state may come from the store.
func TestFollowersOfNow(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev")))
	commit := func() string { return w.State.Pipelines["default"].Artifacts["app"].Commit }
	if w.Take(pt.Push(pt.SHA("c1"))); commit() != pt.SHA("c1") {
		t.Fatalf("the newest is %q", commit())
	}
	w.Restart()
	if w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2"))); commit() != pt.SHA("c2") {
		t.Errorf("after a restart the newest is %q", commit())
	}
	repo := pt.Repo
	repo.DefaultBranch = "trunk"
	w.Tip = pt.SHA("c3")
	w.Take(promotion.Event{Repo: repo, Body: promotion.Renamed{}})
	e := pt.PushOn(pt.SHA("c3"), pt.SHA("c4"))
	body := e.Body.(promotion.Pushed)
	body.Branch = "trunk"
	e.Repo, e.Body = repo, body
	if w.Take(e); commit() != pt.SHA("c4") {
		t.Errorf("after a push to another default branch the newest is %q", commit())
	}
}

// What several commits of one push changed may be as it was before: git decides.
// What one commit alone changed is not, and costs no look.
func TestWhatAPushMayHaveTakenBackIsLookedAt(t *testing.T) {
	for name, c := range map[string]struct {
		paths [][]string
		looks int
		moves bool // without a look
	}{
		"one commit":                          {[][]string{{"app/a"}}, 0, true},
		"two that change the same":            {[][]string{{"app/a"}, {"app/a"}}, 1, false},
		"two, and another file by one":        {[][]string{{"app/a", "app/b"}, {"app/a"}}, 0, true},
		"two that change what is not watched": {[][]string{{"docs/a"}, {"docs/a"}}, 0, false},
		"two, beside what is not watched":     {[][]string{{"app/a", "docs/a"}, {"app/a"}}, 1, false},
	} {
		w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev")))
		e := pt.Push(pt.SHA("c1"))
		body := e.Body.(promotion.Pushed)
		body.Commits = nil
		for i, paths := range c.paths {
			body.Commits = append(body.Commits, promotion.PushedCommit{SHA: pt.SHA(fmt.Sprint("c", i)), Message: "Change", Paths: paths})
		}
		e.Body = body
		s := promotion.Advance(w.State, []promotion.Input{e}, w.Now).State
		looks := 0
		for _, each := range s.Local.Pending {
			if each.Kind == promotion.KindSource {
				looks++
			}
		}
		if _, moved := s.Pipelines["default"].Artifacts["app"]; looks != c.looks || moved != c.moves {
			t.Errorf("%s: %d looks, moved %v", name, looks, moved)
		}
	}
}
