package gitops

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPausesGrowAndEnd: racing pushers part, and who gives up need not wait.
func TestPausesGrowAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		longest := time.Duration(0)
		for try := range maxTries {
			begin := time.Now()
			if err := pause(t.Context(), try); err != nil {
				t.Fatal(err)
			}
			took := time.Since(begin)
			if bound := time.Duration(10*(try+1)) * time.Millisecond; took <= 0 || took > bound {
				t.Errorf("after try %d it waited %s, want at most %s", try, took, bound)
			}
			longest = max(longest, took)
		}
		if longest < 20*time.Millisecond {
			t.Errorf("the longest of %d pauses was %s", maxTries, longest)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		begin := time.Now()
		if err := pause(ctx, maxTries); !errors.Is(err, context.Canceled) || time.Since(begin) > 0 {
			t.Errorf("after giving up: %v, %s", err, time.Since(begin))
		}
	})
}
