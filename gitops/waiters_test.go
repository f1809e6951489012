package gitops_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops"
)

// TestOneFetchForManyReaders reads one file that is not here, many times at once.
func TestOneFetchForManyReaders(t *testing.T) {
	s := newRemote(t)
	base := large(s)
	r := s.open(t)
	const name = "teams/t50/app/f1.yaml"
	must[map[string]gitops.File](t)(r.ReadFiles(t.Context(), base, "teams/t50/app/f0.yaml"))
	s.Reset()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if files, err := r.ReadFiles(t.Context(), base, name); err != nil || len(files) != 1 {
				t.Errorf("read %v, %v", files, err)
			}
		})
	}
	wg.Wait()
	s.wantCounts(1, 0)
}

// TestReadersShareFetches reads files of twenty folders at once, each by itself.
func TestReadersShareFetches(t *testing.T) {
	s := newRemote(t)
	base := large(s)
	r := s.open(t)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	s.Reset()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			name := fmt.Sprintf("teams/t%02d/app/f1.yaml", i+30)
			if files, err := r.ReadFiles(t.Context(), base, name); err != nil || len(files) != 1 {
				t.Errorf("read %v, %v", files, err)
			}
		})
	}
	wg.Wait()
	if n := s.Fetches(); n > 20 { // three levels each: sixty, if each asked for itself
		t.Errorf("%d fetches", n)
	}
}

func TestOneFetchForManyWaiters(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	next := s.commit("main", file{path: "a.yaml", content: "a: 1\n"})
	s.Reset()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			ws, err := r.Workspace(t.Context(), root(next), nil)
			if err == nil {
				_, err = ws.ReadFile(t.Context(), "a.yaml")
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s.wantCounts(1, 0)
}
