package gitops

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// forged is an object of a pack that is written by hand: its kind, the length that it says it has, and
// what is stored. on is what a delta stands on.
type forged struct {
	kind   plumbing.ObjectType
	length int64
	stored []byte
	on     plumbing.Hash
}

// forge writes a pack. It says that it holds count objects.
func forge(t *testing.T, count uint32, entries ...forged) []byte {
	t.Helper()
	b := bytes.NewBufferString("PACK\x00\x00\x00\x02")
	b.Write(binary.BigEndian.AppendUint32(nil, count))
	for _, e := range entries {
		first := byte(e.kind)<<4 | byte(e.length&15)
		if rest := uint64(e.length) >> 4; rest > 0 {
			b.WriteByte(first | 128)
			b.Write(binary.AppendUvarint(nil, rest))
		} else {
			b.WriteByte(first)
		}
		if e.kind == plumbing.REFDeltaObject {
			b.Write(e.on[:])
		}
		z := zlib.NewWriter(b)
		_, err := z.Write(e.stored)
		if err := errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha1.Sum(b.Bytes())
	return append(b.Bytes(), sum[:]...)
}

// change is a delta of "hello" that says that it gives so many bytes.
func change(target uint64) []byte {
	head := binary.AppendUvarint(binary.AppendUvarint(nil, 5), target)
	return append(head, 0x90, 5) // the first 5 bytes of what it stands on
}

// TestForgedPacks: what a pack says of itself is bounded before memory is taken for it.
func TestForgedPacks(t *testing.T) {
	hello := newObject(plumbing.BlobObject, []byte("hello"))
	blob := forged{kind: plumbing.BlobObject, length: 5, stored: hello.data}
	delta := func(target uint64) forged {
		return forged{plumbing.REFDeltaObject, int64(len(change(target))), change(target), hello.hash}
	}
	large := plumbing.NewHasher(plumbing.BlobObject, maxObject+1)
	_, _ = large.Write([]byte("x"))
	for name, tt := range map[string]struct {
		pack     []byte
		index    string // part of the error; empty: none
		terminal bool
		unpack   bool // it is too large for memory
	}{
		"as it should be":            {forge(t, 2, blob, delta(5)), "", false, false},
		"objects that are not there": {forge(t, 1<<31), "it says that it holds 2147483648 objects, in 32 bytes", false, false},
		"a tree":                     {forge(t, 1, forged{kind: plumbing.TreeObject, length: maxObject + 1}), "an object of 128 MiB that would have to be held in memory", true, true},
		"a delta":                    {forge(t, 2, blob, forged{plumbing.REFDeltaObject, maxObject + 1, nil, hello.hash}), "an object of 128 MiB that would have to be held in memory", true, true},
		"what comes of a delta":      {forge(t, 2, blob, delta(maxObject+1)), "an object of 128 MiB that would have to be held in memory", true, true},
		"more than there is":         {forge(t, 2, blob, delta(1<<62)), "far more than its size", true, true},
		"below zero":                 {forge(t, 2, blob, delta(1<<63)), "far more than its size", true, false},
		"what a delta stands on": {
			forge(t, 2, forged{kind: plumbing.BlobObject, length: maxObject + 1, stored: []byte("x")}, forged{plumbing.REFDeltaObject, int64(len(change(5))), change(5), large.Sum()}),
			"an object of 128 MiB that would have to be held in memory", true, true,
		},
		"all together": {forge(t, 9, slices.Repeat([]forged{{kind: plumbing.BlobObject, length: freeUnpacks / 8}}, 9)...), "far more than its size", true, true},
	} {
		_, _, err := indexPack(t.Context(), bytes.NewReader(tt.pack))
		if (err == nil) != (tt.index == "") || err != nil && !strings.Contains(err.Error(), tt.index) || promotion.IsTerminal(err) != tt.terminal {
			t.Errorf("%s: indexed: %v", name, err)
		}
		if _, err := unpack(bytes.NewReader(tt.pack), 1<<20, func(plumbing.Hash) *object { return nil }); errors.Is(err, errTooLarge) != tt.unpack {
			t.Errorf("%s: unpacked: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := indexPack(ctx, bytes.NewReader(forge(t, 1, blob))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
