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
	u := &unpacker{base: base, left: limit, at: map[int64]*object{}, byHash: map[plumbing.Hash]*object{}}
	scan := packfile.NewScanner(bufio.NewReader(pack))
	_, count, err := scan.Header()
	if errors.Is(err, packfile.ErrEmptyPackfile) {
		return nil, errNoPack
	}
	for ; err == nil && count > 0; count-- {
		err = u.next(scan)
	}
	if err == nil {
		_, err = scan.Checksum()
	}
	if err == nil {
		err = u.resolve()
	}
	if err != nil {
		return nil, fmt.Errorf("read the pack: %w", err)
	}
	return u.done, nil
}

type unpacker struct {
	base   func(plumbing.Hash) *object
	left   int64 // bytes that may still be unpacked
	at     map[int64]*object
	byHash map[plumbing.Hash]*object
	done   []*object
	deltas []delta
}

type delta struct {
	header packfile.ObjectHeader
	data   []byte
}

func (u *unpacker) next(scan *packfile.Scanner) error {
	h, err := scan.NextObjectHeader()
	if err != nil {
		return err
	}
	if err := u.spend(h.Length); err != nil {
		return err
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

func (u *unpacker) spend(n int64) error {
	if u.left -= n; n < 0 || u.left < 0 {
		return errTooLarge
	}
	return nil
}

func (u *unpacker) put(offset int64, o *object) {
	u.at[offset], u.byHash[o.hash] = o, o
	u.done = append(u.done, o)
}

// resolve applies deltas until none is left whose base is known.
func (u *unpacker) resolve() error {
	for progress := true; progress; {
		progress = false
		var rest []delta
		for _, d := range u.deltas {
			o, err := u.apply(d)
			if err != nil {
				return err
			}
			if o == nil {
				rest = append(rest, d)
				continue
			}
			u.put(d.header.Offset, o)
			progress = true
		}
		u.deltas = rest
	}
	return nil
}

// apply gives nil where the delta's base is not known (yet), or does not fit.
func (u *unpacker) apply(d delta) (*object, error) {
	from := u.at[d.header.OffsetReference]
	if d.header.Type == plumbing.REFDeltaObject {
		if from = u.byHash[d.header.Reference]; from == nil {
			from = u.base(d.header.Reference)
		}
	}
	if from == nil {
		return nil, nil
	}
	if err := u.spend(max(deltaTarget(d.data), 0)); err != nil {
		return nil, err
	}
	data, err := packfile.PatchDelta(from.data, d.data)
	if err != nil {
		return nil, nil
	}
	return newObject(from.kind, data), nil
}
