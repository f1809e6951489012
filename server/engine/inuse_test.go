package engine

import (
	"path/filepath"
	"testing"
)

func TestInUse(t *testing.T) {
	dir := t.TempDir()
	said := func(want bool, dir string) {
		t.Helper()
		if got, err := InUse(dir); err != nil || got != want {
			t.Errorf("InUse is %v, %v; want %v", got, err, want)
		}
	}
	said(false, filepath.Join(dir, "none"))
	e := open(t, Options{Dir: dir})
	said(true, dir)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	said(false, dir)
}
