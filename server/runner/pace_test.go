package runner

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// TestPushesAreSpaced lets a burst go, then one each ten seconds, for each
// repository by itself.
func TestPushesAreSpaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		may := PushPace()
		for i := range pushBurst {
			if err := may(t.Context(), 1); err != nil {
				t.Fatalf("push %d: %v", i, err)
			}
		}
		for range 3 { // asking is no push
			if wait, ok := promotion.WaitOf(may(t.Context(), 1)); !ok || wait != pushEvery {
				t.Fatalf("wait %v, %t", wait, ok)
			}
		}
		if err := may(t.Context(), 2); err != nil {
			t.Errorf("another repository waits: %v", err)
		}
		time.Sleep(pushEvery)
		if err := may(t.Context(), 1); err != nil {
			t.Errorf("after the wait: %v", err)
		}
	})
}
