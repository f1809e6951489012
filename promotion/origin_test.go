package promotion_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// What is looked at without an event, and how often: only what no event tells of for sure.
func TestHowOftenSourcesAreLookedAt(t *testing.T) {
	for name, c := range map[string]struct {
		src  promotion.Source
		want time.Duration
	}{
		"its own branch":                 {promotion.Source{Git: &promotion.GitSource{}}, 0},
		"its own branch, by name":        {promotion.Source{Git: &promotion.GitSource{Repo: strings.ToUpper(pt.Repo.FullName())}}, 0},
		"its own tags":                   {promotion.Source{Git: &promotion.GitSource{Tags: &promotion.TagRule{}}}, time.Hour},
		"a branch of another repository": {promotion.Source{Git: &promotion.GitSource{Repo: "acme/app"}}, time.Hour},
		"an image":                       {promotion.Source{Image: &promotion.ImageSource{}}, 10 * time.Minute},
		"an image, as it says":           {promotion.Source{Image: &promotion.ImageSource{Poll: time.Minute}}, time.Minute},
		"a chart":                        {promotion.Source{Chart: &promotion.ChartSource{}}, 10 * time.Minute},
		"a chart, as it says":            {promotion.Source{Chart: &promotion.ChartSource{Poll: time.Hour}}, time.Hour},
		"its own releases":               {promotion.Source{Release: &promotion.ReleaseSource{Repo: pt.Repo.FullName()}}, 0},
		"its own releases, as it says":   {promotion.Source{Release: &promotion.ReleaseSource{Repo: pt.Repo.FullName(), Poll: time.Hour}}, time.Hour},
		"releases of another repository": {promotion.Source{Release: &promotion.ReleaseSource{Repo: "acme/app"}}, time.Hour},
		"those, as it says":              {promotion.Source{Release: &promotion.ReleaseSource{Repo: "acme/app", Poll: 2 * time.Hour}}, 2 * time.Hour},
	} {
		if got := c.src.Poll(pt.Repo); got != c.want {
			t.Errorf("%s: every %s, want %s", name, got, c.want)
		}
	}
}

// Many pipelines that follow one registry do not ask it at once, and one asks at the
// same time after a restart.
func TestLooksAreSpread(t *testing.T) {
	var all []*promotion.Pipeline
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		p := pt.Pipeline(name, pt.Stage("dev"))
		p.Sources = []promotion.Source{{Name: "web", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/web"}}}
		all = append(all, p)
	}
	times := func() (out []time.Time) {
		w := pt.NewWorld(all...)
		for _, p := range all {
			out = append(out, w.State.Local.Wakes[p.Name+"/"])
		}
		return out
	}
	first, different := times(), map[time.Time]bool{}
	for _, at := range first {
		different[at] = true
		if after := at.Sub(pt.Start); after < 10*time.Minute || after > 11*time.Minute+15*time.Second {
			t.Errorf("looked at again after %s", after)
		}
	}
	if len(different) < 6 {
		t.Errorf("%d times for 8 pipelines: %v", len(different), first)
	}
	if again := times(); !slices.Equal(first, again) {
		t.Errorf("at other times after a restart: %v, %v", first, again)
	}
}

func TestALimitOfARegistryIsWaitedForAndSaid(t *testing.T) {
	r := newRegistry()
	r.err = promotion.RetryAfter(90*time.Minute, errors.New("the registry ghcr.io limits how often it may be asked"))
	r.Sleep(12 * time.Minute)
	looks := r.looks
	if !problemWith(r.State, "The source web waits until ") || !problemWith(r.State, "limits how often") {
		t.Errorf("problems %v", r.State.Problems)
	}
	r.Sleep(80 * time.Minute)
	if r.looks != looks {
		t.Errorf("looked %d times although it had to wait", r.looks-looks)
	}
	r.err, r.newest = nil, image("1.1.0", "b")
	r.Sleep(12 * time.Minute)
	if r.looks != looks+1 || r.holds("dev") != "web 1.1.0" || len(r.State.Problems) > 0 {
		t.Errorf("after the wait: %d looks, dev holds %q, problems %v", r.looks-looks, r.holds("dev"), r.State.Problems)
	}
}

// Who names a version is told at once that a limit holds the answer up.
func TestWhoNamesAVersionIsToldOfALimit(t *testing.T) {
	r := newRegistry()
	r.err = promotion.RetryAfter(90*time.Minute, errors.New("the registry ghcr.io limits how often it may be asked; it is asked again in 1h30m0s"))
	r.Say("octocat", "/promote dev 0.9.0")
	if got := r.answer(); !strings.Contains(got, "0.9.0 could not be looked up in the source web") || !strings.Contains(got, "asked again in 1h30m0s") {
		t.Errorf("answered %q", got)
	}
}

func TestARenamedRepositoryIsSaidUntilItIsWrittenAnew(t *testing.T) {
	r := newRegistry()
	renamed := "acme/api"
	r.Source = func(promotion.Effect) promotion.Result {
		return promotion.Result{Artifact: r.newest, Renamed: renamed}
	}
	r.Sleep(12 * time.Minute)
	if !problemWith(r.State, "is called acme/api now") {
		t.Errorf("problems %v", r.State.Problems)
	}
	before := r.State.Problems
	r.Sleep(12 * time.Minute)
	if !slices.Equal(before, r.State.Problems) {
		t.Errorf("it is news at each look: %v, %v", before, r.State.Problems)
	}
	renamed = ""
	r.Sleep(12 * time.Minute)
	if len(r.State.Problems) > 0 {
		t.Errorf("problems %v", r.State.Problems)
	}
}

// A branch that a source follows is deleted and made again.
func TestABranchThatIsDeletedAndMadeAgain(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"))
	p.Sources[0].Git.Branch = "next"
	w := pt.NewWorld(p)
	push := func(before, after string) {
		e := pt.PushOn(before, after)
		body := e.Body.(promotion.Pushed)
		body.Branch, body.Complete = "next", false
		e.Body = body
		w.Tip = after
		w.Take(e)
	}
	const none = "0000000000000000000000000000000000000000"
	push(none, pt.SHA("c1"))
	push(pt.SHA("c1"), none)
	w.Tip = ""
	ps := func() *promotion.PipelineState { return w.State.Pipelines["default"] }
	if !problemWith(w.State, "The branch next was deleted") || len(ps().Freight) != 1 {
		t.Errorf("problems %v, %d pieces of freight", w.State.Problems, len(ps().Freight))
	}
	push(none, pt.SHA("c1"))
	if len(ps().Freight) != 1 || len(w.State.Problems) > 0 {
		t.Errorf("back as it was: %d pieces of freight, problems %v", len(ps().Freight), w.State.Problems)
	}
	push(pt.SHA("c1"), none)
	push(none, pt.SHA("c2"))
	if n := len(ps().Freight); n != 2 || ps().Artifacts["app"].Commit != pt.SHA("c2") || len(w.State.Problems) > 0 {
		t.Errorf("with another commit: %d pieces of freight, newest %+v, problems %v", n, ps().Artifacts["app"], w.State.Problems)
	}
}

// What is said of a source outlives landings of others, and goes with the source.
func TestWhatIsSaidOfASourceStaysUntilItIsRead(t *testing.T) {
	r := newRegistry()
	web := r.State.Local.Config["default"]
	other := pt.Pipeline("other", pt.Stage("test", "auto", "commit"))
	r.Take(pt.Config(web, other))
	r.err = promotion.Terminal(errors.New("the registry refused the credentials"))
	r.Sleep(12 * time.Minute)
	r.Take(pt.Push(pt.SHA("c1")))
	if st := r.State.Pipelines["other"].Stages["test"]; st == nil || st.Current == nil || !problemWith(r.State, "refused the credentials") {
		t.Errorf("after another landing: %+v, problems %v", st, r.State.Problems)
	}
	changed := *web
	changed.Sources = []promotion.Source{{Name: "web", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/other"}}}
	r.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindSource }
	r.Take(pt.Config(&changed, other))
	if len(r.State.Problems) > 0 {
		t.Errorf("of a source that is no more: %v", r.State.Problems)
	}
}

// After the store was lost, a registry that wants to be left alone for hours does not
// keep what was under way from going on.
func TestALostStoreDoesNotWaitForALimitedRegistry(t *testing.T) {
	r := newRegistry()
	p := pt.Pipeline("default", pt.Stage("dev", "auto"))
	p.Sources = r.State.Local.Config["default"].Sources
	r.Take(pt.Config(p))
	r.brings("1.1.0", "b")
	if len(r.Pulls) == 0 || r.Pulls[len(r.Pulls)-1].State != "open" {
		t.Fatalf("no pull request is open: %+v", r.Pulls)
	}
	r.err = promotion.RetryAfter(6*time.Hour, errors.New("the registry ghcr.io limits how often it may be asked"))
	r.LoseStore(p)
	r.End("dev", "merged")
	if got := r.holds("dev"); got != "web 1.1.0" {
		t.Errorf("dev holds %q: %v", got, r.Phases("dev"))
	}
}
