package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/idxfile"

	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
)

// TestIndexIsGits packs versions of a file with deltas, of both kinds, and
// compares our index with git's own.
func TestIndexIsGits(t *testing.T) {
	files := map[string]string{"empty": ""}
	for i := range 60 {
		files[fmt.Sprintf("d%d/f.yaml", i)] = strings.Repeat(fmt.Sprintf("key%d: value\n", i/20), 200) + fmt.Sprint(i)
	}
	s, _ := served(t, files)
	for _, options := range [][]string{{"--no-reuse-delta"}, {"--no-reuse-delta", "--delta-base-offset"}} {
		base := filepath.Join(t.TempDir(), "p")
		args := append([]string{"pack-objects", "-q", "--all", "--depth=30"}, append(options, base)...)
		name, err := s.Git("", args...)
		if err != nil {
			t.Fatal(err)
		}
		pack := base + "-" + name + ".pack"
		if out, err := gitopstest.Git("", "", "verify-pack", "-v", pack); err != nil || !strings.Contains(out, "chain length = 2") {
			t.Fatalf("there are no long chains: %v", err)
		}
		f, err := os.Open(pack)
		if err != nil {
			t.Fatal(err)
		}
		index, _, err := indexPack(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var ours bytes.Buffer
		if _, err := idxfile.NewEncoder(&ours).Encode(index); err != nil {
			t.Fatal(err)
		}
		theirs, err := os.ReadFile(strings.TrimSuffix(pack, ".pack") + ".idx")
		if err != nil || !bytes.Equal(ours.Bytes(), theirs) {
			t.Errorf("%v: the index is not git's, %v", options, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzIndexPack(f *testing.F) {
	var b bytes.Buffer
	if err := encodePack(&b, []*object{newObject(3, []byte("hello")), emptyTree}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\x60\x05"))
	f.Add([]byte("PACK\x00\x00\x00\x02S\x06\xe2\x1c\xaf\x00\x00\x00\x025x\x01")) // says that it holds 1,392,960,028 objects
	f.Fuzz(func(t *testing.T, data []byte) {
		index, _, err := indexPack(t.Context(), bytes.NewReader(data))
		if err != nil || index == nil {
			return
		}
		it, err := index.Entries()
		for err == nil {
			_, err = it.Next()
		}
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}
