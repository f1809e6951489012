package gitops_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// TestLargeFileIsNotLoaded has a large file lie beside the one that is edited,
// on servers that can leave it out and on one that cannot.
func TestLargeFileIsNotLoaded(t *testing.T) {
	const large = 33 << 20
	for name, options := range map[string][]string{"filters": nil, "neither": {"uploadpack.allowFilter=false"}} {
		t.Run(name, func(t *testing.T) {
			s := newRemote(t, options...)
			base := s.withHuge(large)
			r := s.open(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			ws := edited(t, r, base, "a.yaml", "a: 2\n")
			if _, err := r.Deliver(t.Context(), ws, request(""), push("main", base)); err != nil {
				t.Fatal(err)
			}
			_, err := ws.ReadFile(t.Context(), "data/huge.bin")
			if !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "huge.bin is 33 MiB large") {
				t.Errorf("reading it gives %v", err)
			}
			if e := must[gitops.Entry](t)(ws.Stat(t.Context(), "data/huge.bin")); e.Size != large {
				t.Errorf("its size is %d", e.Size)
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > large/2 {
				t.Errorf("%d MiB were allocated", n>>20)
			}
			s.fsck()
		})
	}
}
