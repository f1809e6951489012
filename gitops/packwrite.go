package gitops

import (
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"io"
	"sync"
)

// deflaters are used again and again: one takes a megabyte, and longer to make than a
// small object takes to write. Packs of ours are small and written often, so speed
// counts for more than size.
var deflaters = sync.Pool{New: func() any {
	w, err := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)
	if err != nil {
		panic(err) // the level is one that there is
	}
	return w
}}

// encodePack writes objects, each of which stands in the list once, as a pack
// without deltas: https://git-scm.com/docs/gitformat-pack
func encodePack(w io.Writer, objects []*object) error {
	sum := sha1.New()
	out := io.MultiWriter(w, sum)
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(objects)))
	if _, err := out.Write(head); err != nil {
		return err
	}
	z := deflaters.Get().(*zlib.Writer)
	defer func() {
		z.Reset(io.Discard) // it must not hold on to what was written to
		deflaters.Put(z)
	}()
	for _, o := range objects {
		if _, err := out.Write(packHead(o)); err != nil {
			return err
		}
		z.Reset(out)
		if _, err := z.Write(o.data); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// packHead is an object's kind and length: four bits of it, then seven a byte, the
// high bit saying that more follow.
func packHead(o *object) []byte {
	size := uint64(len(o.data))
	head := []byte{byte(o.kind)<<4 | byte(size&0x0f)}
	for size >>= 4; size > 0; size >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(size&0x7f))
	}
	return head
}
