package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// A value starts with its version and its kind.
const (
	valueVersion = 1
	kindWhole    = 'w' // the compressed value follows
	kindSplit    = 'p' // "<set>/<number of pieces>" follows
	kindApart    = 'a' // what changed of a state follows, compressed, see apart
)

// maxValue bounds a value when it is unpacked, in bytes.
const maxValue = 1 << 30

// set names the pieces of one value; the zero value: it is in one message.
type set struct {
	key    string
	name   string
	pieces int
	first  uint64 // revision of the first piece
}

func (p set) piece(n int) string { return p.key + ".p." + p.name + "." + strconv.Itoa(n) }

// named is how a value names its pieces.
func (p set) named() string { return fmt.Sprintf("%s/%d", p.name, p.pieces) }

// setNamed is the inverse of named.
func setNamed(key, named string) (set, error) {
	name, count, _ := strings.Cut(named, "/")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > maxValue/1024 {
		return set{}, fmt.Errorf("it names %q as its number of pieces", count)
	}
	return set{key: key, name: name, pieces: n}, nil
}

// write stores a value under key by put, which gets the bytes of the head. After an
// error none of its pieces is left, but after a crash some may be: see trim.
func (s *Store) write(ctx context.Context, key string, data []byte, put func(head []byte) (uint64, error)) (uint64, set, error) {
	head, pieces, err := s.pack(ctx, key, data)
	if err != nil {
		return 0, pieces, err
	}
	revision, err := put(head)
	if isTaken(err) && pieces.pieces > 0 { // on other errors it may have been stored
		err = errors.Join(err, s.drop(ctx, pieces))
	}
	return revision, pieces, err
}

// pack compresses a value and writes its pieces, if it takes any.
func (s *Store) pack(ctx context.Context, key string, data []byte) (head []byte, pieces set, err error) {
	packed := s.enc.EncodeAll(data, []byte{valueVersion, kindWhole})
	if len(packed) <= s.limit {
		return packed, set{}, nil
	}
	if pieces, err = s.split(ctx, key, packed[2:]); err != nil {
		return nil, pieces, err
	}
	return append([]byte{valueVersion, kindSplit}, pieces.named()...), pieces, nil
}

// split writes the pieces of what is compressed. After an error none is left.
func (s *Store) split(ctx context.Context, key string, packed []byte) (set, error) {
	pieces := set{key: key, name: rand.Text()}
	for ; len(packed) > 0; pieces.pieces++ {
		n := min(s.limit, len(packed))
		revision, err := s.kv.Put(ctx, pieces.piece(pieces.pieces), packed[:n])
		if err != nil {
			return pieces, errors.Join(fmt.Errorf("write a piece of %s: %w", key, err), s.drop(ctx, pieces))
		}
		if pieces.pieces == 0 {
			pieces.first = revision
		}
		packed = packed[n:]
	}
	return pieces, nil
}

// drop removes pieces that no value names.
func (s *Store) drop(ctx context.Context, pieces set) error {
	return s.purge(ctx, pieces.key+".p."+pieces.name+".*")
}

// trim removes the pieces of what was replaced, and those that a crash left. No
// other writer can need them: who replaces the value that was just written has
// read it, and so writes its pieces later.
func (s *Store) trim(ctx context.Context, key string, now set, revision uint64) {
	s.splitting.Lock()
	clean := s.whole[key]
	s.whole[key] = now.pieces == 0
	s.splitting.Unlock()
	if clean {
		return
	}
	before := revision
	if now.pieces > 0 {
		before = now.first
	}
	err := s.stream.Purge(ctx, jetstream.WithPurgeSubject(subjectRoot+key+".p.>"), jetstream.WithPurgeSequence(before))
	if err != nil { // they only take room, until the next write
		s.splitting.Lock()
		delete(s.whole, key)
		s.splitting.Unlock()
	}
}

// read gives the value under key and its revision. It returns
// jetstream.ErrKeyNotFound when there is none.
func (s *Store) read(ctx context.Context, key string) (data []byte, revision uint64, err error) {
	revision, err = s.readBy(ctx, key, func(head []byte) (err error) {
		data, err = s.unpack(ctx, key, head)
		return err
	})
	return data, revision, err
}

// readBy gives the head of the value under key to take, again when its pieces were
// replaced meanwhile.
func (s *Store) readBy(ctx context.Context, key string, take func(head []byte) error) (uint64, error) {
	var last uint64
	for {
		e, err := s.kv.Get(ctx, key)
		if err != nil {
			return 0, err
		}
		err = take(e.Value())
		if errors.Is(err, jetstream.ErrKeyNotFound) && e.Revision() != last {
			last = e.Revision() // it was replaced between head and pieces, or is damaged
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("the value of %s in the store is damaged: %v", key, err)
		}
		return e.Revision(), nil
	}
}

// unpack is the inverse of pack.
func (s *Store) unpack(ctx context.Context, key string, head []byte) ([]byte, error) {
	if len(head) < 2 || head[0] != valueVersion {
		return nil, errors.New("it is not of a version that this Stagecoach reads")
	}
	switch head[1] {
	case kindWhole:
		return s.dec.DecodeAll(head[2:], nil)
	case kindSplit:
		pieces, err := setNamed(key, string(head[2:]))
		if err != nil {
			return nil, err
		}
		return s.join(ctx, pieces)
	}
	return nil, fmt.Errorf("it is of the unknown kind %q", head[1])
}

func (s *Store) join(ctx context.Context, pieces set) ([]byte, error) {
	var packed []byte
	for n := range pieces.pieces {
		e, err := s.kv.Get(ctx, pieces.piece(n))
		if err != nil {
			return nil, fmt.Errorf("piece %d of %d: %w", n+1, pieces.pieces, err)
		}
		packed = append(packed, e.Value()...)
	}
	return s.dec.DecodeAll(packed, nil)
}

// purge removes keys without leaving a mark.
func (s *Store) purge(ctx context.Context, keys string) error {
	if err := s.stream.Purge(ctx, jetstream.WithPurgeSubject(subjectRoot+keys)); err != nil {
		return fmt.Errorf("remove %s from the store: %w", keys, err)
	}
	return nil
}
