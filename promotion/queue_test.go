package promotion_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

func queued(name string, priority int, after time.Duration) *promotion.Promotion {
	return &promotion.Promotion{Name: name, Phase: promotion.PhaseQueued, Priority: priority, CreatedAt: time.Unix(0, 0).Add(after)}
}

func TestQueueOrdersByPriorityThenTimeThenName(t *testing.T) {
	q := promotion.NewQueue(
		queued("0 late", 0, time.Hour), queued("b", 0, time.Minute), queued("a", 0, time.Minute),
		queued("now", promotion.PriorityNow, 2*time.Hour), queued("back", promotion.PriorityRollback, 3*time.Hour),
	)
	var got []string
	for q.Len() > 0 {
		got = append(got, q.Pop().Name)
	}
	if want := []string{"back", "now", "a", "b", "0 late"}; !slices.Equal(got, want) {
		t.Errorf("turns %v, want %v", got, want)
	}
}

func TestPushIsIdempotentAndIgnoresWhatDoesNotWait(t *testing.T) {
	q := &promotion.Queue{}
	p := queued("a", 0, 0)
	running := queued("b", 0, 0)
	running.Phase = promotion.PhaseRunning
	ended := queued("c", 0, 0)
	ended.Phase = promotion.PhaseSucceeded
	for _, c := range []struct {
		what string
		p    *promotion.Promotion
		want bool
	}{{"new", p, true}, {"held", p, false}, {"nil", nil, false}, {"running", running, false}, {"ended", ended, false}, {"same name", queued("a", 2, 0), false}} {
		if got := q.Push(c.p); got != c.want {
			t.Errorf("Push(%s) = %v, want %v", c.what, got, c.want)
		}
	}
	if q.Len() != 1 || q.Peek() != p || q.Len() != 1 {
		t.Errorf("after that the queue holds %d, first %v", q.Len(), q.Peek())
	}
}

func TestPeekOfAnEmptyQueueIsNil(t *testing.T) {
	q := &promotion.Queue{}
	if q.Peek() != nil || q.Pop() != nil || q.PeekFunc(func(*promotion.Promotion) bool { return true }) != nil {
		t.Error("an empty queue gave a promotion")
	}
}

func TestPeekFuncLetsThoseBehindPass(t *testing.T) {
	q := promotion.NewQueue(queued("first", 0, 0), queued("second", 0, 1))
	got := q.PeekFunc(func(p *promotion.Promotion) bool { return p.Name != "first" })
	if got == nil || got.Name != "second" || q.Len() != 2 {
		t.Errorf("got %v of %d, want second of 2", got, q.Len())
	}
}

// What a person asks for too early is queued and lets eligible ones pass.
func TestWhatWasAskedTooEarlySupersedesNothing(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto"), pt.Stage("prod", "auto", "after:dev")))
	w.Take(pt.Push(pt.SHA("c1")))
	w.End("dev", "merged")
	w.Take(pt.Push(pt.SHA("c2")))
	w.End("dev", "merged") // prod waits for c1's merge, c2 is in its queue
	w.Take(pt.Push(pt.SHA("c3")), pt.Comment(1, w.Now, "/promote prod "+pt.SHA("c3")[:9]))
	w.End("prod", "merged")
	running := w.State.FreightByID("default", freightThatRuns(w, "prod"))
	if running == nil || running.Artifacts[0].Commit != pt.SHA("c2") {
		t.Fatalf("prod: %v; c2 should run, c3 wait until dev verified it", w.Phases("prod"))
	}
	w.End("prod", "merged")
	w.End("dev", "merged")
	if running = w.State.FreightByID("default", freightThatRuns(w, "prod")); running == nil || running.Artifacts[0].Commit != pt.SHA("c3") {
		t.Errorf("prod: %v; c3 should run", w.Phases("prod"))
	}
}

func freightThatRuns(w *pt.World, stage string) string {
	for _, p := range w.All(stage) {
		if p.Phase.Started() {
			return p.Freight
		}
	}
	return ""
}

// What a person asked for is never dropped for newer freight, and a retry never
// brings old freight back by itself.
func TestWhoIsSuperseded(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod")))
	for i, name := range []string{"c1", "c2", "c3"} {
		w.Take(pt.Push(pt.SHA(name)), pt.Comment(int64(i+1), w.Now.Add(time.Duration(i)*time.Second), "/promote prod "+pt.SHA(name)[:9]))
	}
	if got := w.Phases("prod"); !slices.Equal(got, []promotion.Phase{"waiting", "queued", "queued"}) {
		t.Errorf("asked for by a person: %v", got)
	}
	w = pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	w.Take(pt.Push(pt.SHA("c1")))
	w.End("prod", "closed")
	w.Sleep(time.Second)
	w.Take(pt.Push(pt.SHA("c2")))
	w.End("prod", "merged")
	w.Take(pt.Comment(1, w.Now, "/retry "+w.All("prod")[0].Name))
	if got := w.All("prod")[0]; got.Phase != promotion.PhaseSuperseded || got.Message != "The stage got newer freight meanwhile." {
		t.Errorf("an automatic one with older freight, retried: %s: %s", got.Phase, got.Message)
	}
}

// An automatic stage never takes older freight than it holds, although that was
// never promoted there, nor what a person has on its way there already.
func TestWhatAnAutomaticStageTakes(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("one"), pt.Stage("two"), pt.Stage("prod", "auto", "commit", "after:one,two", "any")))
	w.Take(pt.Push(pt.SHA("c1")), pt.Push(pt.SHA("c2")))
	w.Take(pt.Comment(1, w.Now, "/promote one "+pt.SHA("c1")[:9], "/promote two "+pt.SHA("c2")[:9], "/promote prod "+pt.SHA("c2")[:9]))
	w.End("two", "merged")
	if got := w.Phases("prod"); !slices.Equal(got, []promotion.Phase{promotion.PhaseSucceeded}) {
		t.Fatalf("prod, with c2 asked for by a person: %v", got)
	}
	w.End("one", "merged")
	if got := w.Phases("prod"); len(got) != 1 {
		t.Errorf("prod holds c2, and c1 was promoted there by itself: %v", got)
	}
}

// What was promoted by itself once, and did not land, is not tried again, also
// when nobody remembers the attempt.
func TestFreightPromotesItselfOnce(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto"), pt.Stage("dev", "commit")))
	w.Take(pt.Push(pt.SHA("c1")))
	w.End("prod", "closed")
	for i := range 22 {
		w.Sleep(time.Minute)
		w.Take(pt.Comment(int64(i+1), w.Now, "/promote dev"))
	}
	if got := w.All("prod"); len(got) != 0 {
		t.Errorf("prod has %d promotions; the one that was closed should be forgotten", len(got))
	}
}
