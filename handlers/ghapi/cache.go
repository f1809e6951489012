package ghapi

import (
	"strconv"
	"sync"

	"github.com/gregjones/httpcache"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// cacheBytes bounds the cached answers of all installations together.
	cacheBytes = 16 << 20
	// entryBytes is the largest answer that is kept: an issue with its ledger
	// fits, a page of a hundred does not push out everything else.
	entryBytes = 1 << 20
)

// store holds cached answers in memory, the latest used ones up to a number of
// bytes. They hold tokens (httpcache keeps the headers that an answer varies
// by), so they never go to disk.
type store struct {
	mu      sync.Mutex
	entries *simplelru.LRU[string, []byte]
	bytes   int
	most    int
}

func newStore(most int) *store {
	s := &store{most: most}
	// The number of entries is bounded by their bytes; none is smaller than a few
	// hundred. The size is positive, so there is no error.
	s.entries, _ = simplelru.NewLRU(most, func(key string, value []byte) { s.bytes -= len(key) + len(value) })
	return s
}

// view is the part of the store that belongs to one installation. Keys are
// addresses alone, and two installations may see different things there, so
// their answers must never meet.
func (s *store) view(installation int64) httpcache.Cache {
	return &view{store: s, prefix: strconv.FormatInt(installation, 10) + " "}
}

type view struct {
	store  *store
	prefix string
}

func (v *view) Get(key string) ([]byte, bool) {
	v.store.mu.Lock()
	defer v.store.mu.Unlock()
	return v.store.entries.Get(v.prefix + key)
}

func (v *view) Set(key string, answer []byte) {
	key = v.prefix + key
	v.store.mu.Lock()
	defer v.store.mu.Unlock()
	v.store.entries.Remove(key) // counts the old bytes off, which replacing it would not
	if len(answer) > entryBytes {
		return
	}
	v.store.entries.Add(key, answer)
	v.store.bytes += len(key) + len(answer)
	for v.store.bytes > v.store.most {
		v.store.entries.RemoveOldest()
	}
}

func (v *view) Delete(key string) {
	v.store.mu.Lock()
	defer v.store.mu.Unlock()
	v.store.entries.Remove(v.prefix + key)
}
