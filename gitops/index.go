package gitops

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// The bounds of a pack, whoever sent it.
const (
	maxObject   = 128 << 20 // bytes of an object that must be in memory to be indexed: all but files that nothing stands on
	minPacked   = 9         // bytes that an object takes in a pack at least: a head, and zlib's of nothing
	maxRatio    = 200       // bytes that come of one byte of the pack, changes counted as often as they are applied
	freeUnpacks = 1 << 30   // bytes that may come of any pack
)

var errThin = errors.New("the pack's deltas stand on objects that it does not hold")

// indexPack makes the index of a finished pack. Objects stream through their
// hash, so that large files take no memory; what deltas stand on is kept for a
// moment. A pack without objects gives nil. One that unpacks to more than can be
// meant is refused.
func indexPack(ctx context.Context, f io.ReadSeeker) (*idxfile.MemoryIndex, plumbing.Hash, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, plumbing.ZeroHash, fmt.Errorf("index the pack: %w", err)
	}
	x := &indexer{
		ctx: ctx, left: max(freeUnpacks, maxRatio*size),
		scan: packfile.NewScanner(f), at: map[int64]*packed{}, byHash: map[plumbing.Hash]*packed{},
		recent: cache.NewBufferLRU(16 * cache.MiByte), out: new(idxfile.Writer),
	}
	_, count, err := x.scan.Header()
	switch {
	case errors.Is(err, packfile.ErrEmptyPackfile):
		return nil, plumbing.ZeroHash, errNoPack
	case err == nil && count == 0:
		return nil, plumbing.ZeroHash, nil
	case err == nil && int64(count) > size/minPacked:
		err = fmt.Errorf("it says that it holds %d objects, in %d bytes", count, size)
	}
	var sum plumbing.Hash
	if err == nil {
		sum, err = x.read(count)
	}
	if err != nil {
		return nil, sum, fmt.Errorf("index the pack: %w", err)
	}
	index, err := x.out.Index()
	return index, sum, err
}

type indexer struct {
	ctx    context.Context
	left   int64 // bytes that may still be unpacked
	scan   *packfile.Scanner
	at     map[int64]*packed // by offset
	byHash map[plumbing.Hash]*packed
	deltas []*packed
	recent *cache.BufferLRU // content by offset
	out    *idxfile.Writer
}

// packed is one object of the pack.
type packed struct {
	header packfile.ObjectHeader
	crc    uint32
	kind   plumbing.ObjectType // known once it is resolved
	base   *packed             // of a delta, once it is resolved
}

// read goes through the pack.
func (x *indexer) read(count uint32) (sum plumbing.Hash, err error) {
	for err = x.out.OnHeader(count); err == nil && count > 0; count-- {
		err = x.next()
	}
	if err == nil {
		sum, err = x.scan.Checksum()
	}
	if err == nil {
		err = x.resolve()
	}
	if err == nil {
		err = x.out.OnFooter(sum)
	}
	return sum, err
}

// spend counts bytes that are about to be unpacked; held: all at once.
func (x *indexer) spend(n int64, held bool) error {
	x.left -= n
	switch {
	case n < 0 || x.left < 0:
		return promotion.Terminal(errors.New("it would unpack to far more than its size; it is not kept"))
	case held && n > maxObject:
		return promotion.Terminal(fmt.Errorf("it holds an object of %d MiB that would have to be held in memory; that is done up to %d", n>>20, maxObject>>20))
	}
	return x.ctx.Err()
}

// next reads one object. A delta's hash is found out later.
func (x *indexer) next() error {
	h, err := x.scan.NextObjectHeader()
	if err != nil {
		return err
	}
	if err := x.spend(h.Length, h.Type != plumbing.BlobObject); err != nil {
		return err
	}
	o := &packed{header: *h}
	x.at[h.Offset] = o
	if h.Type.IsDelta() {
		x.deltas = append(x.deltas, o)
		_, o.crc, err = x.scan.NextObject(io.Discard)
		return err
	}
	hasher := plumbing.NewHasher(h.Type, h.Length)
	if _, o.crc, err = x.scan.NextObject(hasher); err != nil {
		return err
	}
	o.kind = h.Type
	x.known(o, hasher.Sum())
	return nil
}

func (x *indexer) known(o *packed, h plumbing.Hash) {
	x.byHash[h] = o
	x.out.Add(h, uint64(o.header.Offset), o.crc)
}

// resolve applies deltas until none is left.
func (x *indexer) resolve() error {
	for left := x.deltas; len(left) > 0; {
		var rest []*packed
		for _, o := range left {
			o.base = x.at[o.header.OffsetReference]
			if o.header.Type == plumbing.REFDeltaObject {
				o.base = x.byHash[o.header.Reference]
			}
			if o.base == nil || o.base.kind == 0 {
				rest = append(rest, o)
				continue
			}
			data, err := x.content(o)
			if err != nil {
				return err
			}
			o.kind = o.base.kind
			x.known(o, plumbing.ComputeHash(o.kind, data))
		}
		if len(rest) == len(left) {
			return errThin
		}
		left = rest
	}
	return nil
}

// content reads an object whose base, if it is a delta, is resolved. Chains are
// walked without recursion: a pack decides how long they are.
func (x *indexer) content(o *packed) (data []byte, err error) {
	var chain []*packed
	for ; o.header.Type.IsDelta(); o = o.base {
		if cached, ok := x.recent.Get(o.header.Offset); ok {
			data = cached
			break
		}
		chain = append(chain, o)
	}
	if data == nil {
		if data, err = x.stored(o); err != nil {
			return nil, err
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		delta, err := x.inflate(chain[i])
		if err != nil {
			return nil, err
		}
		if err := x.spend(deltaTarget(delta), true); err != nil {
			return nil, err
		}
		if data, err = packfile.PatchDelta(data, delta); err != nil {
			return nil, err
		}
		x.recent.Put(chain[i].header.Offset, data)
	}
	return data, nil
}

// stored reads an object that is no delta.
func (x *indexer) stored(o *packed) ([]byte, error) {
	if data, ok := x.recent.Get(o.header.Offset); ok {
		return data, nil
	}
	data, err := x.inflate(o)
	if err == nil {
		x.recent.Put(o.header.Offset, data)
	}
	return data, err
}

func (x *indexer) inflate(o *packed) ([]byte, error) {
	if err := x.spend(o.header.Length, true); err != nil {
		return nil, err
	}
	if _, err := x.scan.SeekObjectHeader(o.header.Offset); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, _, err := x.scan.NextObject(&b)
	return b.Bytes(), err
}

// deltaTarget is how many bytes come of a delta: its second number, after that of
// what it stands on. https://git-scm.com/docs/gitformat-pack#_deltified_representation
// -1: it is no delta.
func deltaTarget(delta []byte) int64 {
	_, n := binary.Uvarint(delta)
	target, m := binary.Uvarint(delta[max(n, 0):])
	if n <= 0 || m <= 0 || int64(target) < 0 {
		return -1
	}
	return int64(target)
}
