package worker

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// working is a state as last saved, the revision that a save must name, and how
// long the tracking issue has to wait.
type working struct {
	state     *promotion.State
	revision  uint64
	notBefore time.Time // the tracking issue is not written sooner
	refused   int       // writes of it in a row that failed
	// compare: the state comes from the store, and was not compared with the record on
	// GitHub in this process's life.
	compare bool
}

// memory keeps the states of lanes that have ended, so that the next event of a
// repository costs no read. Beyond its limit the longest unused are forgotten.
type memory struct{ cache *lru.Cache[string, working] }

func newMemory(limit int) (*memory, error) {
	cache, err := lru.New[string, working](limit)
	return &memory{cache}, err
}

// take removes and returns what is kept: only one lane may hold it.
func (m *memory) take(key string) (working, bool) {
	w, ok := m.cache.Get(key)
	m.cache.Remove(key)
	return w, ok
}

func (m *memory) put(key string, w working) { m.cache.Add(key, w) }
