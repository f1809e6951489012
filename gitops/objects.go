package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// local returns an object that is in memory or on disk, or errMissing.
func (r *Repository) local(ctx context.Context, h plumbing.Hash) (*object, error) {
	if h == emptyTree.hash {
		return emptyTree, nil
	}
	if o := r.engine.memo.get(r.clone.id, h); o != nil {
		return o, nil
	}
	s, err := r.clone.store(ctx)
	if err != nil {
		return nil, err
	}
	o, err := s.get(ctx, h)
	if err != nil {
		return nil, err
	}
	r.engine.memo.put(r.clone.id, o)
	return o, nil
}

// maxHeld bounds the objects that are read to see whether they are whole.
const maxHeld = 4 << 20

// holds says whether an object is here and whole, without asking the remote.
// It reads the object, because an index that lists it is no proof; but not a
// large one, which is compared with its hash when it is needed.
func (r *Repository) holds(ctx context.Context, h plumbing.Hash) bool {
	if n, ok := r.length(ctx, h); ok && n > maxHeld {
		return true
	}
	_, err := r.local(ctx, h)
	return err == nil
}

// length is how long an object is that is here, without reading it from disk.
func (r *Repository) length(ctx context.Context, h plumbing.Hash) (int64, bool) {
	if o := r.engine.memo.get(r.clone.id, h); o != nil {
		return int64(len(o.data)), true
	}
	s, err := r.clone.store(ctx)
	if err != nil {
		return 0, false
	}
	return s.length(h)
}

// object returns an object of commit's content, fetched if it is not here.
func (r *Repository) object(ctx context.Context, commit, h plumbing.Hash) (*object, error) {
	o, err := r.local(ctx, h)
	if !errors.Is(err, errMissing) {
		return o, err
	}
	if err := r.obtain(ctx, commit, []plumbing.Hash{h}); err != nil {
		return nil, err
	}
	if o, err = r.local(ctx, h); errors.Is(err, errMissing) {
		return nil, fmt.Errorf("object %s of %s was fetched and is not there: is the disk full or failing?", h, r.name())
	}
	return o, err
}

// obtain makes sure that the objects, which belong to commit, are here. All
// that are missing come with one request, which also asks for what others here
// are waiting for.
func (r *Repository) obtain(ctx context.Context, commit plumbing.Hash, hashes []plumbing.Hash) error {
	lacks := r.missing(ctx, hashes)
	if len(lacks) == 0 {
		return nil
	}
	defer r.clone.wish(lacks)()
	if err := r.clone.fetching.enter(ctx); err != nil {
		return err
	}
	defer r.clone.fetching.leave()
	return r.obtainLocked(ctx, commit, hashes)
}

func (r *Repository) obtainLocked(ctx context.Context, commit plumbing.Hash, hashes []plumbing.Hash) error {
	wants := r.missing(ctx, hashes) // another may have fetched them meanwhile
	if len(wants) == 0 {
		return nil
	}
	return r.able(ctx, func(s server) error {
		if !s.lazy() {
			return r.fetchWhole(ctx, commit, s, filterNone)
		}
		if all := r.missing(ctx, r.clone.wished(wants)); len(all) > len(wants) {
			err := r.fetchInto(ctx, ask{wants: all, filter: filterAll})
			if err == nil || ctx.Err() != nil || !mayBeRefusal(err) {
				return err
			}
		}
		return r.fetchObjects(ctx, wants)
	})
}

// fetchObjects fetches objects by hash. What is too large for memory goes
// straight to disk.
func (r *Repository) fetchObjects(ctx context.Context, wants []plumbing.Hash) error {
	q := ask{wants: wants, filter: filterAll}
	err := r.fetchInto(ctx, q)
	if errors.Is(err, errTooLarge) {
		err = r.fetchToDisk(ctx, q)
	}
	return err
}

// able runs do for a server that can everything. Should that fail, the server
// is asked once what it can, and do runs again if that is less.
func (r *Repository) able(ctx context.Context, do func(server) error) error {
	before := r.clone.abilities()
	err := do(before)
	if err == nil || ctx.Err() != nil || r.clone.knows() || !mayBeRefusal(err) {
		return err
	}
	if _, askErr := r.advertised(ctx, uploadPack); askErr != nil {
		return err
	}
	if now := r.clone.abilities(); now.filter != before.filter || now.anySHA != before.anySHA {
		return do(now)
	}
	return err
}

func (r *Repository) missing(ctx context.Context, hashes []plumbing.Hash) []plumbing.Hash {
	var out []plumbing.Hash
	for _, h := range hashes {
		if !h.IsZero() && !r.holds(ctx, h) && !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}

// fetchInto puts a question whose answer is small, and keeps what came.
func (r *Repository) fetchInto(ctx context.Context, q ask) error {
	s, err := r.clone.store(ctx)
	if err != nil {
		return err
	}
	var got []*object
	base := func(h plumbing.Hash) *object { o, _ := r.local(ctx, h); return o }
	q.wants, q.haves = unique(q.wants), unique(q.haves)
	err = r.upload(ctx, q, func(pack io.Reader) (err error) {
		got, err = unpack(pack, maxThin, base)
		return err
	})
	if err != nil {
		return err
	}
	for _, o := range got {
		r.engine.memo.put(r.clone.id, o)
	}
	return r.keep(ctx, s, got)
}

// fetchWhole fetches all of a commit's content, as far as the filter lets it
// through, without its history.
func (r *Repository) fetchWhole(ctx context.Context, commit plumbing.Hash, can server, filter string) error {
	if !can.filter {
		filter = filterNone
	}
	return r.fetchToDisk(ctx, ask{wants: []plumbing.Hash{commit}, depth: 1, filter: filter})
}

// fetchToDisk puts a question whose answer may be large, and keeps what came as
// it comes.
func (r *Repository) fetchToDisk(ctx context.Context, q ask) error {
	s, err := r.clone.store(ctx)
	if err != nil {
		return err
	}
	q.wants = unique(q.wants)
	empty := s.total() == 0
	add := func(pack io.Reader) error { return s.addStream(ctx, pack) }
	err = r.upload(ctx, q, add)
	for diskFull(err) && r.engine.makeRoom(ctx, r.clone.id) {
		err = r.upload(ctx, q, add)
	}
	if err != nil {
		return err
	}
	if empty {
		s.setBegin()
	}
	r.settle(ctx, s)
	return nil
}

func unique(hashes []plumbing.Hash) []plumbing.Hash {
	out := slices.Clone(hashes)
	plumbing.HashesSort(out)
	return slices.Compact(out)
}
