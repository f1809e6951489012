package step_test

import (
	"os"
	"path/filepath"
	"testing"
)

// shared returns a folder of the shared test material, which stands beside the
// repository where the maintainers work. Elsewhere the test is skipped: the
// cases in testdata cover the same ground.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if found := filepath.Join(dir, "shared", name); isDir(found) {
			return found
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skipf("no folder shared/%s beside the repository", name)
		}
		dir = up
	}
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
