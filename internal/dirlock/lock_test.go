package dirlock

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestOneAtATime(t *testing.T) {
	dir := t.TempDir()
	held := func(want bool) {
		t.Helper()
		if got, err := Held(dir); err != nil || got != want {
			t.Errorf("held is %v, %v; want %v", got, err, want)
		}
	}
	held(false)
	for range 2 { // what was given free can be taken again
		l, err := Take(dir)
		if err != nil {
			t.Fatal(err)
		}
		held(true)
		if second, err := Take(dir); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
			_ = second.Close()
			t.Errorf("a second one took it, %v", err)
		}
		held(true) // looking and failing gave nothing free
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		held(false)
	}
}

func TestNoDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	if got, err := Held(dir); err != nil || got {
		t.Errorf("a directory that is not there is held: %v, %v", got, err)
	}
	if l, err := Take(dir); err == nil || errors.Is(err, ErrInUse) {
		_ = l.Close()
		t.Errorf("a directory that is not there was taken, %v", err)
	}
	var none *Lock
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}
