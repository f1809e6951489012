package gitops

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// errNoPack means that a server broke off before its pack: a pack without objects has
// a head too. So it answers when it is asked for what it cannot do.
var errNoPack = errors.New("the server sent no pack")

// unpack reads a pack into memory. Its deltas may stand on objects that it does
// not hold itself: base gives those. What stands on an object that base does
// not have is left out: nobody has read that object, or it would be there, and
// so what replaced it need not be here before it is read.
func unpack(pack io.Reader, limit int64, base func(plumbing.Hash) *object) ([]*object, error) {
	u := &unpacker{base: base, at: map[int64]*object{}, byHash: map[plumbing.Hash]*object{}}
	scan := packfile.NewScanner(bufio.NewReader(pack))
	_, count, err := scan.Header()
	if errors.Is(err, packfile.ErrEmptyPackfile) {
		return nil, errNoPack
	}
	for ; err == nil && count > 0; count-- {
		err = u.next(scan, &limit)
	}
	if err == nil {
		_, err = scan.Checksum()
	}
	if err != nil {
		return nil, fmt.Errorf("read the pack: %w", err)
	}
	u.resolve()
	return u.done, nil
}

type unpacker struct {
	base   func(plumbing.Hash) *object
	at     map[int64]*object
	byHash map[plumbing.Hash]*object
	done   []*object
	deltas []delta
}

type delta struct {
	header packfile.ObjectHeader
	data   []byte
}

func (u *unpacker) next(scan *packfile.Scanner, limit *int64) error {
	h, err := scan.NextObjectHeader()
	if err != nil {
		return err
	}
	if *limit -= h.Length; *limit < 0 {
		return errTooLarge
	}
	var b bytes.Buffer
	if _, _, err := scan.NextObject(&b); err != nil {
		return err
	}
	if h.Type.IsDelta() {
		u.deltas = append(u.deltas, delta{*h, b.Bytes()})
		return nil
	}
	u.put(h.Offset, newObject(h.Type, b.Bytes()))
	return nil
}

func (u *unpacker) put(offset int64, o *object) {
	u.at[offset], u.byHash[o.hash] = o, o
	u.done = append(u.done, o)
}

// resolve applies deltas until none is left whose base is known.
func (u *unpacker) resolve() {
	for progress := true; progress; {
		progress = false
		var rest []delta
		for _, d := range u.deltas {
			o := u.apply(d)
			if o == nil {
				rest = append(rest, d)
				continue
			}
			u.put(d.header.Offset, o)
			progress = true
		}
		u.deltas = rest
	}
}

func (u *unpacker) apply(d delta) *object {
	from := u.at[d.header.OffsetReference]
	if d.header.Type == plumbing.REFDeltaObject {
		if from = u.byHash[d.header.Reference]; from == nil {
			from = u.base(d.header.Reference)
		}
	}
	if from == nil {
		return nil
	}
	data, err := packfile.PatchDelta(from.data, d.data)
	if err != nil {
		return nil
	}
	return newObject(from.kind, data)
}
