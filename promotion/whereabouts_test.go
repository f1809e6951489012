package promotion_test

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// What may come next is what lies behind all that the commit has reached, or behind
// one of them where that is enough.
func TestWhereACommitMayComeNext(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("prod", "after:eu,us"), pt.Stage("early", "after:eu,us", "any"), pt.Stage("us", "after:dev"),
		pt.Stage("eu", "auto", "commit", "after:dev"), pt.Stage("dev", "auto", "commit"))
	p.Sources[0].Git.CheckRun = true
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	at := w.State.Whereabouts("default", pt.SHA("c1"))
	var order, next []string
	for _, s := range at.Stages {
		order = append(order, s.Stage)
		if s.Next {
			next = append(next, s.Stage)
		}
	}
	if got := strings.Join(order, " "); got != "dev us eu prod early" {
		t.Errorf("in the order %s", got)
	}
	if got := strings.Join(next, " "); got != "us early" {
		t.Errorf("next: %s", got)
	}
	if at.Everywhere() {
		t.Error("it is said to be everywhere")
	}
}

// A commit of a repository that the source followed before is left alone, and so is
// one of a source of another name.
func TestWhoseCommitsAreShown(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*promotion.Source, *promotion.Artifact)
		shows  bool
	}{
		"the pipeline's own":               {func(*promotion.Source, *promotion.Artifact) {}, true},
		"its own under a former name":      {func(_ *promotion.Source, a *promotion.Artifact) { a.Repo = "acme/before" }, true},
		"of another repository":            {func(s *promotion.Source, a *promotion.Artifact) { s.Git.Repo, a.Repo = "Acme/App", "acme/app" }, true},
		"of one that was followed before":  {func(s *promotion.Source, a *promotion.Artifact) { s.Git.Repo, a.Repo = "acme/app", "acme/former" }, false},
		"of a source that shows none":      {func(s *promotion.Source, _ *promotion.Artifact) { s.Git.CheckRun = false }, false},
		"of an image with that name now":   {func(s *promotion.Source, _ *promotion.Artifact) { s.Git, s.Image = nil, &promotion.ImageSource{} }, false},
		"of a release, which has a commit": {func(_ *promotion.Source, a *promotion.Artifact) { a.Kind = promotion.ArtifactRelease }, false},
	} {
		w := pt.NewWorld(shown())
		w.Take(pt.Push(pt.SHA("c1")))
		c.change(&w.State.Local.Config["default"].Sources[0], &w.State.Pipelines["default"].Freight[0].Artifacts[0])
		if got := w.State.Whereabouts("default", pt.SHA("c1")) != nil; got != c.shows {
			t.Errorf("%s: shown %v, want %v", name, got, c.shows)
		}
	}
}
