package promotion_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

func image(tag, digest string) *promotion.Artifact {
	return &promotion.Artifact{Source: "web", Kind: promotion.ArtifactImage, Repo: "ghcr.io/acme/web", Tag: tag, Digest: "sha256:" + digest}
}

// registry is a world whose pipeline follows an image, and what a look finds there.
type registry struct {
	*pt.World
	newest *promotion.Artifact
	older  map[string]*promotion.Artifact
	gone   string
	err    error
	looks  int
}

func newRegistry() *registry {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "after:dev", "commit"))
	p.Sources = []promotion.Source{{Name: "web", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/web"}}}
	r := &registry{World: pt.NewWorld(), older: map[string]*promotion.Artifact{}, newest: image("1.0.0", "a")}
	r.Source = func(e promotion.Effect) promotion.Result {
		r.looks++
		if r.err != nil {
			return promotion.Result{Err: r.err}
		}
		if e.Version != "" {
			return promotion.Result{Artifact: r.older[e.Version]}
		}
		return promotion.Result{Artifact: r.newest, Gone: r.gone}
	}
	r.Take(pt.Config(p))
	return r
}

func (r *registry) holds(stage string) string {
	st := r.State.Pipelines["default"].Stages[stage]
	if st == nil || st.Current == nil {
		return ""
	}
	return r.State.FreightByID("default", st.Current.Freight).Title()
}

func moved(watch string) promotion.Event {
	return promotion.Event{Repo: pt.Repo, Body: promotion.Moved{Watch: watch}}
}

func TestAnImageIsFoundAtFirstSightByEventsAndByPolling(t *testing.T) {
	r := newRegistry()
	if got := r.holds("dev"); got != "web 1.0.0" || r.looks != 1 {
		t.Fatalf("at first sight dev holds %q after %d looks", got, r.looks)
	}
	r.newest = image("1.1.0", "b")
	r.Take(moved("oci:ghcr.io/acme/other"))
	if r.looks != 1 {
		t.Error("the event of another image woke the source")
	}
	r.Now = r.Now.Add(time.Minute)
	r.Take(moved("oci:ghcr.io/acme/web"))
	if got := r.holds("dev"); got != "web 1.1.0" || r.looks != 2 {
		t.Fatalf("after the event dev holds %q after %d looks", got, r.looks)
	}
	r.newest = image("1.2.0", "c")
	r.Sleep(9 * time.Minute)
	if r.looks != 2 {
		t.Errorf("looked after 9 minutes already, %d times", r.looks-2)
	}
	r.Sleep(3 * time.Minute)
	if got := r.holds("dev"); got != "web 1.2.0" || r.looks != 3 {
		t.Errorf("after polling dev holds %q after %d looks", got, r.looks)
	}
}

// CI says by repository_dispatch which source has something new.
func TestADispatchNamesTheSource(t *testing.T) {
	for name, want := range map[string]int{"web": 2, "": 2, "api": 1} {
		r := newRegistry()
		r.Now = r.Now.Add(time.Minute)
		r.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Moved{Source: name}})
		if r.looks != want {
			t.Errorf("source %q: %d looks, want %d", name, r.looks, want)
		}
	}
}

// An image of many platforms is many events at once.
func TestABurstOfEventsIsOneLookMore(t *testing.T) {
	r := newRegistry()
	r.Now = r.Now.Add(time.Minute)
	r.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindSource }
	for range 50 {
		r.Now = r.Now.Add(10 * time.Millisecond)
		r.Take(moved("oci:ghcr.io/acme/web"))
	}
	if n := len(r.State.Local.Pending); n != 2 {
		t.Errorf("%d looks are wanted, want the one under way and the one after it", n)
	}
}

// The answer of a look that began earlier must not undo that of a later one.
func TestAnOlderAnswerIsNone(t *testing.T) {
	r := newRegistry()
	r.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindSource }
	var ids []string
	for range 2 {
		r.Now = r.Now.Add(time.Minute)
		r.Take(moved("oci:ghcr.io/acme/web"))
	}
	for id := range r.State.Local.Pending {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return r.State.Local.Pending[a].SentAt.Compare(r.State.Local.Pending[b].SentAt)
	})
	r.Take(promotion.Result{Effect: ids[1], Artifact: image("1.2.0", "c")})
	r.Take(promotion.Result{Effect: ids[0], Artifact: image("1.1.0", "b")})
	if got := r.State.Pipelines["default"].Artifacts["web"].Tag; got != "1.2.0" {
		t.Errorf("the newest is %s, want 1.2.0", got)
	}
}

func problemWith(s *promotion.State, words string) bool {
	return slices.ContainsFunc(s.Problems, func(p promotion.Problem) bool { return strings.Contains(p.Text, words) })
}

func TestWhatIsGoneIsSaidAndBlocked(t *testing.T) {
	r := newRegistry()
	r.gone, r.newest = "the tag 1.0.0 is not in ghcr.io/acme/web any more", nil
	r.Sleep(12 * time.Minute)
	f := r.State.Pipelines["default"].Freight[0]
	mark := r.State.Pipelines["default"].Blocked[f.ID]
	if mark == nil || !strings.Contains(mark.Reason, r.gone) {
		t.Fatalf("blocked: %+v", mark)
	}
	r.Say("octocat", "/promote prod 1.0.0")
	if got := r.holds("prod"); got != "" {
		t.Errorf("prod holds %q", got)
	}
	r.gone, r.newest = "", image("1.0.0", "a")
	r.Sleep(12 * time.Minute)
	if r.State.Pipelines["default"].Blocked[f.ID] != nil {
		t.Error("it came back, and is still blocked")
	}
}

// Freight of two sources lacks what is gone of one of them, however often the other
// one is found. An earlier piece holds web alone.
func TestWhatIsGoneOfOneSourceIsNotThereByAnother(t *testing.T) {
	r := newRegistry()
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"))
	p.Sources = []promotion.Source{
		{Name: "web", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/web"}}, {Name: "api", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/api"}},
	}
	gone := map[string]bool{}
	r.Source = func(e promotion.Effect) promotion.Result {
		if gone[e.Source] {
			return promotion.Result{Gone: "the tag is not there any more"}
		}
		a := image("1.0.0", "a")
		a.Source = e.Source
		return promotion.Result{Artifact: a}
	}
	r.Take(pt.Config(p))
	blocked := func() int { return len(r.State.Pipelines["default"].Blocked) }
	for i, step := range []struct {
		gone []string
		want int
	}{{nil, 0}, {[]string{"web"}, 2}, {[]string{"web", "api"}, 2}, {[]string{"api"}, 1}, {nil, 0}, {[]string{"api"}, 1}} {
		clear(gone)
		for _, name := range step.gone {
			gone[name] = true
		}
		r.Sleep(24 * time.Minute)
		if blocked() != step.want {
			t.Errorf("step %d, without %v: %d blocked, want %d", i, step.gone, blocked(), step.want)
		}
	}
	r.Say("octocat", "/block api=1.0.0 by hand")
	clear(gone)
	r.Sleep(24 * time.Minute)
	if blocked() != 1 {
		t.Error("what a person blocked was lifted")
	}
}

// Blocks that an earlier version set name no source: they are lifted too.
func TestABlockOfAnEarlierVersionIsLifted(t *testing.T) {
	r := newRegistry()
	ps := r.State.Pipelines["default"]
	ps.Blocked = map[string]*promotion.Mark{ps.Freight[0].ID: {At: r.Now, Reason: "it is gone: the tag 1.0.0 is not in ghcr.io/acme/web any more"}}
	r.Sleep(12 * time.Minute)
	if left := r.State.Pipelines["default"].Blocked; len(left) > 0 {
		t.Errorf("still blocked: %+v", left)
	}
}

func TestATagThatMovesIsFreightOfItsOwnAndSaid(t *testing.T) {
	r := newRegistry()
	r.newest = image("1.0.0", "b")
	r.Sleep(12 * time.Minute)
	if n := len(r.State.Pipelines["default"].Freight); n != 2 || !problemWith(r.State, "was moved") {
		t.Errorf("%d pieces of freight, problems %v", n, r.State.Problems)
	}
	r.newest = image("1.0.1", "c")
	r.Sleep(12 * time.Minute)
	if problemWith(r.State, "was moved") {
		t.Error("it is still said when there is another tag")
	}
}

func TestASourceThatCannotBeReadIsSaidAndTriedAgain(t *testing.T) {
	r := newRegistry()
	r.err = promotion.Terminal(errors.New("the registry refused the credentials"))
	r.Sleep(12 * time.Minute)
	if !problemWith(r.State, "refused the credentials") || r.holds("dev") != "web 1.0.0" {
		t.Fatalf("problems %v", r.State.Problems)
	}
	r.err, r.newest = nil, image("1.1.0", "b")
	r.Sleep(12 * time.Minute)
	if problemWith(r.State, "refused") || r.holds("dev") != "web 1.1.0" {
		t.Errorf("problems %v, dev holds %q", r.State.Problems, r.holds("dev"))
	}
}

func TestPromoteNamesAVersionThatIsNotKnown(t *testing.T) {
	r := newRegistry()
	r.older["0.9.0"] = image("0.9.0", "z")
	r.Say("octocat", "/promote dev 0.9.0")
	if got := r.holds("dev"); got != "web 0.9.0" {
		t.Fatalf("dev holds %q: %v", got, r.Replies)
	}
	r.Sleep(time.Hour)
	if got := r.holds("dev"); got != "web 0.9.0" {
		t.Errorf("it was promoted over: dev holds %q", got)
	}
	r.newest = image("1.1.0", "b")
	r.Sleep(12 * time.Minute)
	if got := r.holds("dev"); got != "web 1.1.0" {
		t.Errorf("what is new does not go on: dev holds %q", got)
	}
	r.Say("octocat", "/promote dev 0.8.0")
	if last := r.Replies[len(r.Replies)-1]; !strings.Contains(last, "0.8.0 is not known here, and no source has it") || !strings.Contains(last, "web 1.1.0") {
		t.Errorf("answered %q", last)
	}
}

// Old freight that a person brings to one stage goes nowhere by itself.
func TestOldFreightIsNotTheNewest(t *testing.T) {
	r := newRegistry()
	r.older["0.9.0"] = image("0.9.0", "z")
	r.Say("octocat", "/promote dev 0.9.0")
	r.Say("octocat", "/promote prod")
	if got := r.holds("prod"); got != "web 1.0.0" {
		t.Errorf("prod got %q, want the newest that dev verified", got)
	}
}

func TestWatches(t *testing.T) {
	p := &promotion.Pipeline{Sources: []promotion.Source{
		{Name: "own", Git: &promotion.GitSource{}},
		{Name: "self", Git: &promotion.GitSource{Repo: strings.ToUpper(pt.Repo.FullName())}},
		{Name: "app", Git: &promotion.GitSource{Repo: "acme/App"}},
		{Name: "tags", Git: &promotion.GitSource{Tags: &promotion.TagRule{}}},
		{Name: "image", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/web"}},
		{Name: "oci", Chart: &promotion.ChartSource{Repo: "oci://ghcr.io/acme/charts/web"}},
		{Name: "http", Chart: &promotion.ChartSource{Repo: "https://charts.example.com", Name: "web"}},
		{Name: "release", Release: &promotion.ReleaseSource{Repo: "acme/app"}},
	}}
	got := promotion.Watches(map[string]*promotion.Pipeline{"default": p}, pt.Repo)
	want := []string{"git:acme/app", "oci:ghcr.io/acme/charts/web", "oci:ghcr.io/acme/web", "release:acme/app", "tags:" + strings.ToLower(pt.Repo.FullName())}
	if !slices.Equal(got, want) {
		t.Errorf("watches %q, want %q", got, want)
	}
}

// A push that touches one path wakes the one pipeline that watches it, among
// hundreds of one repository.
func TestAPushWakesOnlyThePipelinesThatWatchIt(t *testing.T) {
	var all []*promotion.Pipeline
	for i := range 500 {
		p := pt.Pipeline(fmt.Sprintf("p%03d", i), pt.Stage("dev", "auto", "commit"))
		p.Sources[0].Git.Paths = []string{fmt.Sprintf("apps/%03d/**", i)}
		all = append(all, p)
	}
	w := pt.NewWorld(all...)
	before := w.State
	push := pt.Push(pt.SHA("c1"))
	body := push.Body.(promotion.Pushed)
	body.Commits = slices.Clone(body.Commits)
	body.Commits[0].Paths = []string{"apps/123/main.go"}
	push.Body = body
	d := promotion.Advance(before, []promotion.Input{push}, w.Now)
	changed := 0
	for name, ps := range d.State.Pipelines {
		if before.Pipelines[name] != ps {
			changed++
		}
	}
	if changed != 1 || len(d.Effects) != 1 || d.Effects[0].Pipeline != "" && d.Effects[0].Pipeline != "p123" {
		t.Errorf("%d pipelines changed, effects %v; want p123 alone", changed, d.Effects)
	}
}

// Many pipelines follow one other repository. A push there that touches the
// paths of one wakes that one; what the hints do not tell wakes all of them.
func TestAHintWakesOnlyThoseWhosePathsMoved(t *testing.T) {
	var all []*promotion.Pipeline
	for i := range 60 {
		p := pt.Pipeline(fmt.Sprintf("p%03d", i), pt.Stage("dev"))
		p.Sources[0].Git.Repo, p.Sources[0].Git.Paths = "acme/mono", []string{fmt.Sprintf("apps/%03d/**", i)}
		all = append(all, p)
	}
	whole := pt.Pipeline("whole", pt.Stage("dev")) // watches everything there
	whole.Sources[0].Git.Repo, whole.Sources[0].Git.Paths = "acme/mono", nil
	w := pt.NewWorld(append(all, whole)...)
	broken := map[string]bool{}
	w.Source = func(e promotion.Effect) promotion.Result {
		if broken[e.Pipeline] {
			return promotion.Result{Err: promotion.Terminal(errors.New("it cannot be read"))}
		}
		return promotion.Result{}
	}
	var looked []string
	w.OnAdvance = func(before, after *promotion.State) {
		for id, e := range after.Local.Pending {
			if before.Local.Pending[id] == nil {
				looked = append(looked, e.Pipeline)
			}
		}
	}
	at := "c0"
	hint := func(before, after string, whole bool, paths ...string) int {
		looked = nil
		w.Now = w.Now.Add(time.Minute)
		w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Moved{Watch: "git:acme/mono", Branch: "main", Default: true,
			Change: &promotion.Movement{Before: before, After: after, Whole: whole, Paths: paths}}})
		at = after
		slices.Sort(looked)
		return len(looked)
	}
	if n := hint(at, "c1", true, "apps/023/main.go"); n != 61 {
		t.Errorf("the first hint woke %d: what was before is not known", n)
	}
	if n := hint(at, "c2", true, "apps/023/main.go"); n != 2 || !slices.Contains(looked, "p023") {
		t.Errorf("a push to one path woke %d: %v", n, looked)
	}
	if n := hint(at, "c3", true, "README.md"); n != 1 || looked[0] != "whole" {
		t.Errorf("a push to a path of none woke %v", looked)
	}
	if n := hint(at, "c4", true); n != 0 {
		t.Errorf("a push of promotions alone woke %d", n)
	}
	if n := hint(at, "c5", false, "apps/023/main.go"); n != 61 {
		t.Errorf("a push that does not tell all woke %d", n)
	}
	if n := hint("c6", "c7", true, "apps/023/main.go"); n != 61 {
		t.Errorf("a push after one that was lost woke %d", n)
	}
	broken["p007"] = true
	hint(at, "c8", true, "apps/007/main.go")
	broken["p007"] = false
	if n := hint(at, "c9", true, "apps/023/main.go"); n != 3 {
		t.Errorf("%v were looked at, want p023, whole, and p007, which could not be read", looked)
	}
	w.Take(pt.Config(pt.Pipeline("p000", pt.Stage("dev"))))
	if len(w.State.Local.Heads) > 0 {
		t.Errorf("remembered of what nobody follows: %v", w.State.Local.Heads)
	}
}

// A push to another repository is promoted here without a timer between: while the clock
// stands still.
func TestAPushElsewhereIsPromotedWhileTheClockStands(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"))
	p.Sources[0].Git.Repo = "acme/app"
	w := pt.NewWorld()
	tip := pt.SHA("a1")
	w.Source = func(e promotion.Effect) promotion.Result {
		return promotion.Result{Artifact: &promotion.Artifact{Source: e.Source, Kind: promotion.ArtifactGit, Repo: "acme/app", Branch: "main", Commit: tip}}
	}
	w.OnAdvance = func(_, after *promotion.State) {
		for id, e := range after.Local.Pending {
			if e.NotBefore.After(w.Now) {
				t.Errorf("%s waits until %v, and it is %v", id, e.NotBefore, w.Now)
			}
		}
	}
	w.Take(pt.Config(p))
	w.Now = w.Now.Add(time.Minute)
	pushed := w.Now
	tip = pt.SHA("a2")
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Moved{Watch: "git:acme/app", Branch: "main", Default: true,
		Change: &promotion.Movement{Before: pt.SHA("a1"), After: tip, Whole: true, Paths: []string{"main.go"}}}})
	now := w.State.Pipelines["default"].Stages["dev"].Current
	if f := w.State.FreightByID("default", now.Freight); f.Artifacts[0].Commit != tip || !now.At.Equal(pushed) || !w.Now.Equal(pushed) {
		t.Errorf("dev holds %+v since %v; it was pushed at %v and is %v", f.Artifacts, now.At, pushed, w.Now)
	}
}

// A look that was put off until the newest artifact was known does not say whether that
// is gone: it is asked once more, and what is gone is blocked.
func TestAPutOffLookDoesNotHideThatATagIsGone(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "commit"))
	p.Sources = []promotion.Source{{Name: "web", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/web"}}}
	w := pt.NewWorld()
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindSource }
	w.Take(pt.Config(p))
	w.Now = w.Now.Add(time.Second)
	w.Take(moved("oci:ghcr.io/acme/web"))
	looks := func(known string) (ids []string) {
		for id, e := range w.State.Local.Pending {
			if e.Kind == promotion.KindSource && (e.Known == nil && known == "" || e.Known != nil && e.Known.Tag == known) {
				ids = append(ids, id)
			}
		}
		slices.SortFunc(ids, func(a, b string) int {
			return w.State.Local.Pending[a].NotBefore.Compare(w.State.Local.Pending[b].NotBefore)
		})
		return ids
	}
	first := looks("")
	if len(first) != 2 {
		t.Fatalf("%d looks", len(first))
	}
	w.Take(promotion.Result{Effect: first[0], Artifact: image("1.2.0", "b")})
	newest := w.State.Pipelines["default"].Freight[0]
	w.Now = w.Now.Add(time.Minute)
	w.Take(promotion.Result{Effect: first[1], Artifact: image("1.1.0", "a")}) // it does not know of 1.2.0
	again := looks("1.2.0")
	if len(again) != 1 || w.State.Pipelines["default"].Artifacts["web"].Tag != "1.2.0" {
		t.Fatalf("%d more looks, and the newest is %s", len(again), w.State.Pipelines["default"].Artifacts["web"].Tag)
	}
	w.Take(promotion.Result{Effect: again[0], Artifact: image("1.1.0", "a"), Gone: "the tag 1.2.0 is not in ghcr.io/acme/web any more"})
	if ps := w.State.Pipelines["default"]; ps.Blocked[newest.ID] == nil || ps.Artifacts["web"].Tag != "1.1.0" || len(looks("1.1.0"))+len(looks("1.2.0")) != 0 {
		t.Errorf("blocked %v, newest %s", ps.Blocked, ps.Artifacts["web"].Tag)
	}
}
