package gitops

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// TestLyingPack swaps the names of two objects in an index: every checksum of
// git's formats still holds, and only the objects' hashes tell.
func TestLyingPack(t *testing.T) {
	dir := t.TempDir()
	s, err := openStore(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	a, b := neighbours()
	path, err := s.pack(t.Context(), []*object{a, b})
	if err != nil {
		t.Fatal(err)
	}
	idx := s.packs[0].idx
	ofA, _ := idx.FindOffset(a.hash)
	ofB, _ := idx.FindOffset(b.hash)
	if ofA == ofB {
		t.Fatal("both stand at one place")
	}
	for _, offsets := range idx.Offset32 {
		if len(offsets) == 8 {
			copy(offsets, append(offsets[4:8:8], offsets[:4]...))
		}
	}
	if now, _ := idx.FindOffset(a.hash); now == ofA {
		t.Fatal("the index was not changed")
	}
	if _, err := s.get(t.Context(), a.hash); !errors.Is(err, errMissing) {
		t.Errorf("error %v, want errMissing", err)
	}
	if _, err := os.Stat(path + ".idx"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the pack is still there: %v", err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}

// neighbours are two objects whose hashes begin alike, so that they stand in
// one part of an index.
func neighbours() (a, b *object) {
	first := map[byte]*object{}
	for i := 0; ; i++ {
		b = newObject(plumbing.BlobObject, fmt.Appendf(nil, "%04d", i))
		if a = first[b.hash[0]]; a != nil {
			return a, b
		}
		first[b.hash[0]] = b
	}
}

// TestHeadsThatAreKnown: a branch's own tip is what additions stand on, else others'
// are, and not more are remembered than is of use.
func TestHeadsThatAreKnown(t *testing.T) {
	s, err := openStore(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.close() }()
	heads := map[string]plumbing.Hash{}
	for i := range 3 {
		name := fmt.Sprintf("b%d", i)
		heads[name] = plumbing.ComputeHash(plumbing.BlobObject, []byte(name))
		if err := s.setHead(name, heads[name]); err != nil {
			t.Fatal(err)
		}
	}
	for branch, h := range heads {
		if got := s.known(branch, 2); len(got) != 1 || got[0] != h {
			t.Errorf("of %s is known %v", branch, got)
		}
	}
	if got := s.known("another", 2); len(got) != 2 || got[0] == got[1] {
		t.Errorf("of another branch is known %v", got)
	}
	for i := range 2 * maxHeads {
		if err := s.setHead(fmt.Sprintf("many%d", i), heads["b0"]); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.heads) > maxHeads {
		t.Errorf("%d heads are remembered", len(s.heads))
	}
}

// TestADamagedPackTakesTheHeadsAlong: what hangs on a remembered head is no longer whole,
// so nothing may be asked for as an addition to it, after a restart neither.
func TestADamagedPackTakesTheHeadsAlong(t *testing.T) {
	dir := t.TempDir()
	s, err := openStore(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	o := newObject(plumbing.BlobObject, []byte("x"))
	path, err := s.pack(t.Context(), []*object{o})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.setHead("main", o.hash); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path+".pack", 14); err != nil {
		t.Fatal(err)
	}
	if _, err := s.get(t.Context(), o.hash); !errors.Is(err, errMissing) {
		t.Errorf("error %v, want errMissing", err)
	}
	again, err := openStore(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := s.known("main", 2), again.known("main", 2); len(a)+len(b) > 0 {
		t.Errorf("known are %v, after a restart %v", a, b)
	}
	if err := errors.Join(s.close(), again.close()); err != nil {
		t.Fatal(err)
	}
}
