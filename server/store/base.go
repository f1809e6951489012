package store

import "sync"

// keptBases is how many bases are remembered. Without it a save writes the base anew.
const keptBases = 64

// base is what a state is kept over.
type base struct {
	pieces   set
	held     changed // what is in the pieces
	revision uint64  // of the head over it that was read or saved last
}

// bases are those that this process has read or written last, by repository.
type bases struct {
	mu    sync.Mutex
	known map[int64]*base
}

// of is the base under the head with a revision; nil: it is not known.
func (b *bases) of(repo int64, revision uint64) *base {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.known[repo]; known != nil && known.revision == revision {
		return known
	}
	return nil
}

// saved notes the base of what was saved.
func (b *bases) saved(repo int64, of *base, revision uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.put(repo, &base{pieces: of.pieces, held: of.held, revision: revision})
}

// read notes the base of what was read; nil: there is none. What is known of the same
// head stays: the states of whoever saves share their pipelines with that.
func (b *bases) read(repo int64, of *base, revision uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.known[repo]; of == nil || known != nil && known.revision >= revision {
		return
	}
	b.put(repo, &base{pieces: of.pieces, held: of.held, revision: revision})
}

func (b *bases) forget(repo int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.known, repo)
}

// put sets one; the caller holds the lock.
func (b *bases) put(repo int64, of *base) {
	if b.known == nil {
		b.known = map[int64]*base{}
	}
	delete(b.known, repo)
	for other := range b.known {
		if len(b.known) < keptBases {
			break
		}
		delete(b.known, other)
	}
	b.known[repo] = of
}
