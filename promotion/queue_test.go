package promotion_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func queued(name string, priority int, after time.Duration) *promotion.Promotion {
	return &promotion.Promotion{Name: name, Phase: promotion.PhaseQueued, Priority: priority, CreatedAt: time.Unix(0, 0).Add(after)}
}

func TestQueueOrdersByPriorityThenTimeThenName(t *testing.T) {
	q := promotion.NewQueue(
		queued("late", 0, time.Hour), queued("b", 0, time.Minute), queued("a", 0, time.Minute),
		queued("now", promotion.PriorityNow, 2*time.Hour), queued("back", promotion.PriorityRollback, 3*time.Hour),
	)
	var got []string
	for q.Len() > 0 {
		got = append(got, q.Pop().Name)
	}
	if want := []string{"back", "now", "a", "b", "late"}; !slices.Equal(got, want) {
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
