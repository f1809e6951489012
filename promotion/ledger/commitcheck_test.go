package ledger

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// whereabouts are those of freight n of a state whose source shows its commits.
func whereabouts(t *testing.T, s *promotion.State, n int) promotion.Whereabouts {
	t.Helper()
	for _, p := range s.Local.Config {
		p.Sources[0].Git.CheckRun = true
	}
	w := s.Whereabouts("default", webFreight(n).Artifacts[0].Commit)
	if w == nil {
		t.Fatal("it shows nothing")
	}
	return *w
}

// The texts of the check run on a commit are kept under testdata.
func TestCommitTexts(t *testing.T) {
	waiting := func() *promotion.State {
		return plus(base(), waitsFor(attempt("default", "prod", webFreight(2), day, promotion.PhaseWaiting), 214))
	}
	everywhere := func() *promotion.State {
		s := base()
		s.Pipelines["default"].Stages["prod"] = s.Pipelines["default"].Stages["staging"]
		return s
	}
	ill := func() *promotion.State {
		s := verifyingStaging()
		s.Pipelines["default"].Stages["dev"].Health = promotion.Health{Bad: true, Why: "e2e", Since: day}
		return s
	}
	undone := func() *promotion.State {
		s := base()
		dev := s.Pipelines["default"].Stages["dev"]
		dev.Before, dev.Current = []promotion.Landing{*dev.Current}, s.Pipelines["default"].Stages["prod"].Current
		return s
	}
	for _, scene := range []struct {
		name    string
		state   func() *promotion.State
		freight int
		title   string
	}{
		{"on-its-way", func() *promotion.State { return base() }, 2, "In dev, staging · next: prod"},
		{"waiting", waiting, 2, "In dev, staging · waits for prod (#214)"},
		{"everywhere", everywhere, 2, "In dev, staging, prod"},
		{"newer", everywhere, 1, ""},
		{"ill", ill, 2, ""},
		{"undone", undone, 2, "In staging; rolled back in dev · next: prod"},
	} {
		t.Run(scene.name, func(t *testing.T) {
			s := scene.state()
			if scene.name == "newer" {
				s.Pipelines["default"].Shown = map[string]promotion.CommitCheck{webFreight(1).Artifacts[0].Commit: {ID: 1, Digest: "old"}}
			}
			w := whereabouts(t, s, scene.freight)
			title, summary := CommitTitle(w), CommitSummary(s, w, testLinks)
			if scene.title != "" && title != scene.title {
				t.Errorf("title %q, want %q", title, scene.title)
			}
			golden(t, "commit-"+scene.name+".md", title+"\n\n"+summary)
		})
	}
}

// A pipeline with more stages than anybody reads still has texts that GitHub takes,
// and says nothing that could notify somebody.
func TestCommitTextsStaySmall(t *testing.T) {
	w := promotion.Whereabouts{Pipeline: nasty, Repo: "acme/web", Commit: sha("x")}
	for range 200 {
		for _, reach := range []promotion.Reach{"", promotion.ReachOpen, promotion.ReachVerifying, promotion.ReachThere, promotion.ReachFailed, promotion.ReachUndone} {
			w.Stages = append(w.Stages, promotion.StageReach{Stage: strings.Repeat("s", 40), Reach: reach, PullRequest: 1234567, Next: true})
		}
	}
	title, summary := CommitTitle(w), CommitSummary(base(), w, testLinks)
	if n := utf8.RuneCountInString(title); n > 1200 || !strings.Contains(title, "and 396 more") {
		t.Errorf("the title has %d characters: %s", n, title)
	}
	if len(summary) > maxText || !strings.Contains(summary, "and 1140 more stages") {
		t.Errorf("the summary has %d bytes", len(summary))
	}
	harmlessHTML(t, render(t, summary))
}
