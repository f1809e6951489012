package gitops_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
)

func TestForgetRemovesThatCloneAlone(t *testing.T) {
	dir := t.TempDir()
	e, err := gitops.New(dir, gitops.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	for _, name := range []string{"7.git", "8.git", "notes"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "objects"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for since, want := range map[time.Time][]int64{time.Now().Add(time.Hour): {7, 8}, time.Now().Add(-time.Hour): nil} {
		if got, err := e.Unused(since); err != nil || !slices.Equal(got, want) {
			t.Errorf("unused since %s: %v, %v; want %v", since, got, err, want)
		}
	}
	for range 2 { // forgetting twice is forgetting once
		if err := e.Forget(7); err != nil {
			t.Fatal(err)
		}
	}
	left, err := e.Unused(time.Now().Add(time.Hour))
	if err != nil || !slices.Equal(left, []int64{8}) {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "notes")); err != nil {
		t.Error(err)
	}
}
