package promotion_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// two is a world whose pipeline follows an image and a branch: what one of them
// brings is freight with the newest of the other. By hand anything goes to prod.
func two() *registry {
	r := newRegistry()
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "commit"))
	p.Sources = []promotion.Source{{Name: "web", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/web"}}, p.Sources[0]}
	r.Tip = pt.SHA("c0")
	r.Take(pt.Config(p))
	return r
}

// brings lets the registry have a newer image.
func (r *registry) brings(tag, digest string) {
	r.newest = image(tag, digest)
	r.Now = r.Now.Add(time.Minute)
	r.Take(moved("oci:ghcr.io/acme/web"))
}

// pushes moves the branch n times.
func (r *registry) pushes(n int) {
	for range n {
		next := pt.SHA(fmt.Sprint("push of ", r.Tip))
		r.Take(pt.PushOn(r.Tip, next))
		r.Tip = next
	}
}

func (r *registry) kept() []string {
	var out []string
	for _, a := range r.State.Pipelines["default"].Kept["web"] {
		out = append(out, a.Tag)
	}
	return out
}

func (r *registry) answer() string {
	if len(r.Replies) == 0 {
		return ""
	}
	return r.Replies[len(r.Replies)-1]
}

// A source that rarely moves loses its older versions from the freight to one that
// always does. They are remembered, and cost no look.
func TestOlderArtifactsAreKept(t *testing.T) {
	r := two()
	r.pushes(1)
	r.brings("1.1.0", "b")
	r.pushes(40)
	if got := r.kept(); !slices.Equal(got, []string{"1.0.0"}) {
		t.Fatalf("kept %q, want 1.0.0: freight holds 1.1.0", got)
	}
	looks := r.looks
	r.Say("octocat", "/promote prod web=1.0.0")
	if got := r.holds("prod"); !strings.HasPrefix(got, "app "+r.Tip[:7]) || !strings.HasSuffix(got, "web 1.0.0") {
		t.Errorf("prod holds %q, want web 1.0.0 with the newest of app: %s", got, r.answer())
	}
	if r.looks != looks {
		t.Errorf("%d looks for a version that is remembered", r.looks-looks)
	}
	if got := r.holds("dev"); !strings.HasSuffix(got, "web 1.1.0") {
		t.Errorf("dev holds %q: what a person brought to prod came here by itself", got)
	}
}

func TestTwentyOfASourceAreKept(t *testing.T) {
	r := two()
	r.pushes(1)
	for i := 1; i <= 30; i++ {
		r.brings(fmt.Sprintf("1.%d.0", i), fmt.Sprint("d", i))
		r.pushes(5) // of 20 pieces of freight, four hold another image
	}
	ps := r.State.Pipelines["default"]
	held := map[string]bool{}
	for _, f := range ps.Freight {
		a, _ := f.Artifact("web")
		held[a.Tag] = true
	}
	kept := r.kept()
	for _, tag := range kept {
		held[tag] = true
	}
	if len(held) != 20 || !held["1.11.0"] || held["1.10.0"] || slices.Contains(kept, "1.30.0") {
		t.Errorf("remembered are %v, kept %v; want the newest 20", held, kept)
	}
	looks := r.looks
	r.older["1.10.0"] = image("1.10.0", "d10")
	r.Say("octocat", "/promote prod 1.11.0")
	if r.looks != looks || !strings.HasSuffix(r.holds("prod"), "web 1.11.0") {
		t.Errorf("1.11.0: %d looks, prod holds %q", r.looks-looks, r.holds("prod"))
	}
	r.Say("octocat", "/promote prod 1.10.0")
	if r.looks != looks+1 || !strings.HasSuffix(r.holds("prod"), "web 1.10.0") {
		t.Errorf("1.10.0: %d looks, prod holds %q", r.looks-looks, r.holds("prod"))
	}
}

// What the freight holds anyway is not kept twice: a pipeline of one source keeps nothing.
func TestAPipelineOfOneSourceKeepsNothing(t *testing.T) {
	r := newRegistry()
	for i := 1; i <= 50; i++ {
		r.brings(fmt.Sprintf("1.%d.0", i), fmt.Sprint("d", i))
	}
	if got := r.kept(); len(got) > 0 {
		t.Errorf("kept %q", got)
	}
}

// Of a tag that was moved both are remembered; the digest says which one is meant.
func TestAMovedTagIsKeptWithBothDigests(t *testing.T) {
	r := two()
	r.pushes(1)
	r.brings("1.0.0", "b")
	r.brings("1.1.0", "c")
	r.pushes(40)
	r.Say("octocat", "/promote prod web=1.0.0")
	if got := r.answer(); !strings.Contains(got, "fits several: `web=1.0.0@sha256:a`, `web=1.0.0@sha256:b`") {
		t.Errorf("answered %q", got)
	}
	r.Say("octocat", "/promote prod web=1.0.0@sha256:a")
	ps := r.State.Pipelines["default"]
	if st := ps.Stages["prod"]; st == nil || st.Current == nil {
		t.Fatalf("prod holds nothing: %s", r.answer())
	}
	if a, _ := r.State.FreightByID("default", ps.Stages["prod"].Current.Freight).Artifact("web"); a.Digest != "sha256:a" {
		t.Errorf("prod holds %+v", a)
	}
}

func TestAnotherRepositoryForgetsWhatWasKept(t *testing.T) {
	r := two()
	r.pushes(1)
	r.brings("1.1.0", "b")
	r.pushes(40)
	p := *r.State.Local.Config["default"]
	p.Sources = slices.Clone(p.Sources)
	p.Sources[0].Image = &promotion.ImageSource{Repo: "ghcr.io/acme/other"}
	r.Take(pt.Config(&p))
	if got := r.kept(); len(got) > 0 {
		t.Errorf("kept %q of another image", got)
	}
}

// Word by word, what names an artifact.
func TestWhatNamesAnArtifact(t *testing.T) {
	tagged := promotion.Artifact{Tag: "1.0.0", Digest: "sha256:a", Commit: "abcdef0123"}
	for word, want := range map[string]bool{
		"1.0.0": true, "sha256:a": true, "1.0.0@sha256:a": true, "abcd": true, "ABCDEF0": true,
		"": false, "1.0": false, "abc": false, "1.0.0@sha256:b": false, "1.0.1@sha256:a": false, "@": false, "1.0.0@": false,
	} {
		if tagged.Is(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
}

func TestRollbackLooksFurther(t *testing.T) {
	r := newRegistry()
	r.older["0.9.0"] = image("0.9.0", "z")
	r.Say("octocat", "/rollback dev 0.9.0")
	if got := r.holds("dev"); got != "web 0.9.0" {
		t.Errorf("dev holds %q: %s", got, r.answer())
	}
	if r.State.Pipelines["default"].Stages["dev"].Paused == nil {
		t.Error("after a rollback it goes on by itself")
	}
	r.Say("octocat", "/rollback dev 0.8.0")
	if got := r.answer(); !strings.Contains(got, "0.8.0 is not known here, and no source has it") {
		t.Errorf("answered %q", got)
	}
}

// A block of a version that is not known yet holds when it is asked for, in each of
// the pipelines that may have it.
func TestBlockLooksFurther(t *testing.T) {
	r := newRegistry()
	other := pt.Pipeline("other", pt.Stage("test", "commit"))
	other.Sources = slices.Clone(r.State.Local.Config["default"].Sources)
	r.Take(pt.Config(r.State.Local.Config["default"], other))
	r.older["0.9.0"] = image("0.9.0", "z")
	r.Say("octocat", "/block 0.9.0 it leaks")
	for _, stage := range []string{"prod", "other/test"} {
		r.Say("octocat", "/promote "+stage+" 0.9.0")
		if got := r.answer(); !strings.Contains(got, "blocked by octocat") || !strings.Contains(got, "it leaks") {
			t.Errorf("%s: answered %q", stage, got)
		}
	}
	r.Say("octocat", "/block 0.8.0")
	if got := r.answer(); !strings.Contains(got, "0.8.0 is not known here, and no source has it. Newest: web 1.0.0") {
		t.Errorf("answered %q", got)
	}
}

// Freight of several sources that nobody had put together: it is said what the block holds.
func TestABlockSaysWhatItHolds(t *testing.T) {
	r := two()
	r.pushes(1)
	r.older["0.9.0"] = image("0.9.0", "z")
	r.Say("octocat", "/block web=0.9.0")
	if got := r.answer(); !strings.Contains(got, "is blocked. With other versions of its other sources it is other freight, which is not.") {
		t.Errorf("answered %q", got)
	}
}

// Two people ask for one version while it is looked for: one look, and nobody's
// permission is read over and over meanwhile.
func TestTwoAskForOneVersion(t *testing.T) {
	r := newRegistry()
	r.older["0.9.0"] = image("0.9.0", "z")
	asked := 0
	r.Hold = func(e promotion.Effect) bool {
		if e.Kind == promotion.KindPermission {
			asked++
		}
		return e.Version != ""
	}
	r.Say("octocat", "/promote dev 0.9.0")
	r.Say("hubot", "/promote prod 0.9.0")
	looks := 0
	for _, e := range r.State.Local.Pending {
		if e.Version != "" {
			looks++
		}
	}
	if looks != 1 || asked > 4 {
		t.Errorf("%d looks, %d times a permission was to be read", looks, asked)
	}
	r.Hold = nil
	r.Take()
	if dev, prod := r.holds("dev"), r.holds("prod"); dev != "web 0.9.0" || prod != "web 0.9.0" {
		t.Errorf("dev holds %q, prod %q: %s", dev, prod, r.answer())
	}
}

// A commit of the repository's own branch is looked for by its hash, and nothing else is.
func TestOlderCommitsAreLookedFor(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	w.Take(pt.Push(pt.SHA("c1")))
	asked := []string(nil)
	w.Hold = func(e promotion.Effect) bool {
		if e.Version != "" && !slices.Contains(asked, e.Version) {
			asked = append(asked, e.Version)
		}
		return false
	}
	for _, word := range []string{"1.2.3", "abc", "deadbeef", "nonsense", "app=0123abc"} {
		w.Say("octocat", "/promote dev "+word)
	}
	if want := []string{"deadbeef", "0123abc"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}

// However much freight is in use, what comes anew is not forgotten for it.
func TestNewFreightIsNotForgottenForWhatIsInUse(t *testing.T) {
	var stages []promotion.Stage
	for i := range 25 {
		stages = append(stages, pt.Stage(fmt.Sprintf("s%02d", i), "commit"))
	}
	w := pt.NewWorld(pt.Pipeline("default", stages...))
	before := pt.SHA("c0")
	for i := range 30 { // each stage holds freight of its own
		next := pt.SHA(fmt.Sprint("c", i+1))
		w.Take(pt.PushOn(before, next))
		before = next
		freight := w.State.Pipelines["default"].Freight
		if len(freight) == 0 || freight[len(freight)-1].Artifacts[0].Commit != next {
			t.Fatalf("after push %d the newest freight is not that of the push", i)
		}
		if i < len(stages) {
			w.Say("octocat", fmt.Sprintf("/promote s%02d", i))
		}
	}
}

// An answer counts for the command that asked. At the very moment at which it is too
// old it is asked for anew, once.
func TestAnAnswerThatIsTooOldIsAskedForAgain(t *testing.T) {
	r := newRegistry()
	r.Say("octocat", "/promote dev 0.8.0")
	asked := r.looks
	for _, after := range []time.Duration{5 * time.Minute, 4 * time.Minute} {
		r.Now = r.Now.Add(after)
		r.Say("octocat", "/promote dev 0.8.0")
	}
	if r.looks != asked+1 || len(r.Replies) != 3 {
		t.Errorf("asked %d times more, %d answers; want once, and 3", r.looks-asked, len(r.Replies))
	}
}
