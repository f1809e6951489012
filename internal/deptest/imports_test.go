package deptest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The row of this room: the standard library alone.
func TestImports(t *testing.T) { Imports(t) }

// recorder takes what a room is blamed for, in place of failing.
type recorder struct {
	testing.TB
	blamed []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, a ...any) {
	r.blamed = append(r.blamed, fmt.Sprintf(format, a...))
}

// room is a directory with a file that imports what rooms do, and a test that
// imports more.
func room(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, source := range map[string]string{
		"room.go": "package room\n\nimport (\n\t\"os\"\n\t\"time\"\n\n\t\"example.com/a\"\n\t\"example.com/a/b\"\n\t\"example.com/ab\"\n)\n\n" +
			"var _, _, _, _ = os.Args, a.A, b.B, ab.AB\n\nfunc f() { go f(); _ = time.Now() }\n",
		"room_test.go": "package room\n\nimport \"example.com/test\"\n\nvar _ = test.T\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func TestARoomIsHeldToItsRow(t *testing.T) {
	room(t)
	const a, b, ab = "example.com/a", "example.com/a/b", "example.com/ab"
	says := func(path string) string { return "room.go imports " + path + ", which this room may not" }
	for _, c := range []struct {
		name  string
		check func(testing.TB)
		want  []string
	}{
		{"nothing", func(tb testing.TB) { Imports(tb) }, []string{says(a), says(b), says(ab)}},
		{"one alone", func(tb testing.TB) { Imports(tb, a) }, []string{says(b), says(ab)}},
		{"one and below it", func(tb testing.TB) { Imports(tb, a+"/...") }, []string{says(ab)}},
		{"all", func(tb testing.TB) { Imports(tb, a, b, ab) }, nil},
		{"only some", func(tb testing.TB) { Only(tb, a, b, ab, "time") }, []string{says("os")}},
		{"without one", func(tb testing.TB) { Without(tb, "os", "net") }, []string{says("os")}},
		{"no clock", func(tb testing.TB) { NoClock(tb, "Now") }, []string{"room.go uses time.Now"}},
		{"another clock", func(tb testing.TB) { NoClock(tb, "Sleep") }, nil},
		{"no goroutine", func(tb testing.TB) { NoGoroutine(tb) }, []string{"room.go starts a goroutine"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{TB: t}
			c.check(r)
			slices.Sort(r.blamed)
			slices.Sort(c.want)
			if !slices.Equal(r.blamed, c.want) {
				t.Errorf("it blames %q, want %q", r.blamed, c.want)
			}
		})
	}
}
