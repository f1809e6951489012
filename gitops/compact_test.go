package gitops

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// TestPacksAreMerged adds many small packs while others read.
func TestPacksAreMerged(t *testing.T) {
	dir := t.TempDir()
	s, err := openStore(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	first := newObject(plumbing.BlobObject, []byte("first"))
	if err := s.addObjects(t.Context(), []*object{first}); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				if o, err := s.get(t.Context(), first.hash); err != nil || !bytes.Equal(o.data, first.data) {
					t.Errorf("read %v", err)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	all := []*object{first}
	for i := range 4 * maxSmallPacks {
		o := newObject(plumbing.BlobObject, fmt.Appendf(nil, "object %d", i))
		all = append(all, o)
		if err := s.addObjects(t.Context(), []*object{o, first}); err != nil {
			t.Fatal(err)
		}
		s.compact(t.Context())
	}
	close(stop)
	wg.Wait()
	files, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*"))
	if err != nil || len(files) > 3*(maxSmallPacks+1) {
		t.Errorf("%d files in the clone, %v", len(files), err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if s, err = openStore(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if got, err := s.get(t.Context(), o.hash); err != nil || !bytes.Equal(got.data, o.data) {
			t.Errorf("%q is lost: %v", o.data, err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}

// TestMergedPackIsKept merges packs of which one holds all that the others do.
func TestMergedPackIsKept(t *testing.T) {
	s, err := openStore(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var all []*object
	for i := range maxSmallPacks + 1 {
		o := newObject(plumbing.BlobObject, fmt.Appendf(nil, "object %d", i))
		all = append(all, o)
		if err := s.addObjects(t.Context(), []*object{o}); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := s.contents(t.Context(), s.small())
	if err == nil {
		err = s.addObjects(t.Context(), whole)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.compact(t.Context())
	if n := len(s.small()); n != 1 {
		t.Errorf("%d packs, want 1", n)
	}
	for _, o := range all {
		if _, err := s.get(t.Context(), o.hash); err != nil {
			t.Errorf("%q is lost: %v", o.data, err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}

// Packs that unpack to far more than they take are not all read into memory: the clone
// begins anew.
func TestLargeSmallPacksAreNotMerged(t *testing.T) {
	s, err := openStore(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.merge = 100_000
	var first, last *object
	for i := range maxSmallPacks + 1 {
		first = cmp.Or(first, last)
		last = newObject(plumbing.BlobObject, bytes.Repeat([]byte{byte(i)}, 10_000))
		if err := s.addObjects(t.Context(), []*object{last}); err != nil {
			t.Fatal(err)
		}
	}
	s.tidy(t.Context())
	if _, err := s.get(t.Context(), last.hash); err != nil || len(s.packs) != 1 || s.has(first.hash) {
		t.Errorf("%d packs, want the newest alone: %v", len(s.packs), err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}
