package gitops

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
)

func testAuth(context.Context) (string, error) { return gitopstest.Token, nil }

// served is a server with one commit that holds files.
func served(t *testing.T, files map[string]string, settings ...string) (s *gitopstest.Server, commit string) {
	t.Helper()
	s, err := gitopstest.New(t.TempDir(), settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var in strings.Builder
	in.WriteString("commit refs/heads/main\ncommitter octocat <octocat@example.com> 1700000000 +0000\ndata 6\nchange\n")
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(files[name]), files[name])
	}
	if _, err := s.Git(in.String(), "fast-import", "--quiet"); err != nil {
		t.Fatal(err)
	}
	commit, err = s.Git("", "rev-parse", "main")
	if err != nil {
		t.Fatal(err)
	}
	return s, commit
}

func opened(t *testing.T, dir string, opts Options) *Engine {
	t.Helper()
	e, err := New(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// wantRead reads a file of a commit and compares it.
func wantRead(t *testing.T, r *Repository, commit, name, want string) {
	t.Helper()
	files, err := r.ReadFiles(t.Context(), commit, name)
	if err != nil || string(files[name].Content) != want {
		t.Errorf("%s is %.20q, %v, want %.20q", name, files[name].Content, err, want)
	}
}

func TestTwoEnginesOnOneDirectory(t *testing.T) {
	dir := t.TempDir()
	e := opened(t, dir, Options{})
	if second, err := New(dir, Options{}); err == nil || !strings.Contains(err.Error(), dir) {
		_ = second.Close()
		t.Fatalf("a second engine opened, %v", err)
	}
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Fatal(err)
	}
	opened(t, dir, Options{})
}

// TestLayoutIsHealed damages the files that make the clone a repository, and
// leaves one of another version.
func TestLayoutIsHealed(t *testing.T) {
	s, commit := served(t, map[string]string{"a.yaml": "a: 1\n"})
	for name, text := range map[string]string{
		"HEAD": "ref: nowhere\n", "config": "[core]\n\tbare = true\n[stagecoach]\n\tlayout = 99\n", "packed-refs": "nonsense\x00\n",
		"stagecoach-began": "many",
	} {
		dir := t.TempDir()
		e := opened(t, dir, Options{})
		wantRead(t, e.Repository(7, s.URL, testAuth), commit, "a.yaml", "a: 1\n")
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		clone := filepath.Join(dir, "7.git")
		if err := os.WriteFile(filepath.Join(clone, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.Reset()
		e = opened(t, dir, Options{})
		wantRead(t, e.Repository(7, s.URL, testAuth), commit, "a.yaml", "a: 1\n")
		if again := s.Fetches() > 0; again != (name == "config") { // only another version begins anew
			t.Errorf("%s: fetched again: %t", name, again)
		}
		if _, err := gitopstest.Git(clone, "", "fsck", "--full"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if head, err := gitopstest.Git(clone, "", "symbolic-ref", "HEAD"); err != nil || head != "refs/heads/main" {
			t.Errorf("%s: HEAD is %q, %v", name, head, err)
		}
	}
}

// TestFullDisk lets writes fail as on a full disk: first until other clones were
// emptied, then for good.
func TestFullDisk(t *testing.T) {
	for name, c := range map[string]struct {
		forGood  bool
		settings []string
	}{
		"others make room": {}, "for good": {forGood: true},
		"others make room for all at once": {settings: []string{"uploadpack.allowFilter=false"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, commit := served(t, map[string]string{"a.yaml": "a: 1\n", "b/c.yaml": "c: 1\n"}, c.settings...)
			e := opened(t, t.TempDir(), Options{})
			other := e.Repository(1, s.URL, testAuth)
			wantRead(t, other, commit, "a.yaml", "a: 1\n")
			r := e.Repository(2, s.URL, testAuth)
			disk, err := r.clone.store(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			disk.create = func(dir, pattern string) (*os.File, error) {
				if c.forGood || other.clone.disk.total() > 0 {
					return nil, &os.PathError{Op: "create", Path: dir, Err: syscall.ENOSPC}
				}
				return os.CreateTemp(dir, pattern)
			}
			for range 2 {
				wantRead(t, r, commit, "b/c.yaml", "c: 1\n")
			}
			if kept := disk.total() > 0; kept == c.forGood {
				t.Errorf("%d bytes are kept", disk.total())
			}
			if other.clone.disk.total() > 0 {
				t.Error("the other clone still takes room")
			}
			disk.create = os.CreateTemp
			wantRead(t, other, commit, "b/c.yaml", "c: 1\n")
		})
	}
}

// TestOldClonesMakeRoom has room for three clones and uses five, also those that
// an earlier process left.
func TestOldClonesMakeRoom(t *testing.T) {
	big := ""
	for i := range 4000 {
		big += fmt.Sprintf("%d,", i*7919)
	}
	s, commit := served(t, map[string]string{"a.yaml": big})
	dir := t.TempDir()
	e := opened(t, dir, Options{})
	wantRead(t, e.Repository(1, s.URL, testAuth), commit, "a.yaml", big)
	one := e.shelf[1].bytes
	if err := e.Close(); err != nil || one < 5000 {
		t.Fatal(one, err)
	}
	e = opened(t, dir, Options{Disk: 3*one + one/2, Memory: 1})
	read := func(id int64) { wantRead(t, e.Repository(id, s.URL, testAuth), commit, "a.yaml", big) }
	for _, id := range []int64{2, 3} {
		read(id)
	}
	s.Reset()
	read(2)
	read(1) // it is used again: 3 is now the oldest but 2
	if s.Fetches() != 0 {
		t.Errorf("%d fetches of what is there", s.Fetches())
	}
	read(4)
	read(5)
	var left []int64
	for id := range int64(6) {
		if packBytes(e.cloneDir(id)) > 0 {
			left = append(left, id)
		}
	}
	if fmt.Sprint(left) != "[1 4 5]" || e.shelf.total() > e.opts.Disk {
		t.Errorf("clones %v are left, of %d bytes", left, e.shelf.total())
	}
	read(3) // comes back
}

// TestUseIsNoted uses clones in an order that is neither that of their numbers nor
// that in which they were made, one of them from an earlier process.
func TestUseIsNoted(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "4.git")
	if err := os.MkdirAll(filepath.Join(old, "objects", "pack"), 0o700); err != nil {
		t.Fatal(err)
	}
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(old, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	e := opened(t, dir, Options{})
	for id := range int64(7) {
		e.Repository(id, "http://localhost/a/b.git", nil)
	}
	order := []int64{3, 1, 6, 0, 2, 5, 4}
	for _, id := range order {
		e.Repository(id, "http://localhost/a/b.git", nil)
		e.shelf[id].bytes = 1
	}
	for _, want := range order[:6] {
		if got, ok := e.shelf.oldest(4); !ok || got != want {
			t.Errorf("%d is the one used least recently, want %d", got, want)
		}
		delete(e.shelf, want)
	}
	if id, ok := e.shelf.oldest(4); ok {
		t.Errorf("%d would be emptied while it is used", id)
	}
	if info, err := os.Stat(old); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("the next process would take the clone for unused since %v, %v", info.ModTime(), err)
	}
}

// TestOneCloneLargerThanTheLimit reads versions of a repository of which one alone
// is larger than all clones may be: no more than one is kept.
func TestOneCloneLargerThanTheLimit(t *testing.T) {
	noise := noise()
	s, commit := served(t, map[string]string{"a": string(noise(50_000))})
	e := opened(t, t.TempDir(), Options{Disk: 30_000, Memory: 1})
	r := e.Repository(1, s.URL, testAuth)
	for range 4 {
		if err := r.Fetch(t.Context(), []string{commit}); err != nil {
			t.Fatal(err)
		}
		want, err := s.Git("", "cat-file", "blob", commit+":a")
		if err != nil {
			t.Fatal(err)
		}
		wantRead(t, r, commit, "a", want)
		if n := packBytes(r.clone.dir); n > 60_000 {
			t.Errorf("the clone takes %d bytes", n)
		}
		next := fmt.Sprintf("commit refs/heads/main\ncommitter octocat <octocat@example.com> 1700000000 +0000\ndata 4\nmore\nfrom %s\nM 100644 inline a\ndata 50000\n%s\n", commit, noise(50_000))
		if _, err := s.Git(next, "fast-import", "--quiet"); err != nil {
			t.Fatal(err)
		}
		if commit, err = s.Git("", "rev-parse", "main"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGrownCloneBeginsAnew adds more than a clone may grow by.
func TestGrownCloneBeginsAnew(t *testing.T) {
	s, err := openStore(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.growth = 100_000
	noise := noise()
	for _, begin := range []int64{0, 150_000} {
		if begin > 0 {
			s.clear()
			if err := s.addObjects(t.Context(), []*object{newObject(plumbing.BlobObject, noise(int(begin)))}); err != nil {
				t.Fatal(err)
			}
			s.setBegin()
		}
		limit, largest := begin*3/2+s.growth, int64(0)
		for range 2 * limit / 5000 {
			last := newObject(plumbing.BlobObject, noise(5000))
			if err := s.addObjects(t.Context(), []*object{last}); err != nil {
				t.Fatal(err)
			}
			s.tidy(t.Context())
			largest = max(largest, s.total())
			if _, err := s.get(t.Context(), last.hash); err != nil {
				t.Fatalf("what was added last: %v", err)
			}
		}
		if largest > limit+10_000 || largest < limit-20_000 {
			t.Errorf("the clone took %d bytes, want about %d", largest, limit)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}

// noise gives bytes that do not compress, others each time, the same in each run.
func noise() func(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	return func(n int) []byte {
		b := make([]byte, n)
		_, _ = r.Read(b) // it never fails
		return b
	}
}
