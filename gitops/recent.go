package gitops

import (
	"container/list"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// recent keeps the objects used last, of all repositories, within a number of
// bytes. Objects are shared and never changed.
type recent struct {
	mu    sync.Mutex
	limit int64
	used  int64
	order *list.List // front: used last
	at    map[recentKey]*list.Element
}

// recentKey holds the repository so that nobody reads another one's objects by
// knowing their hash.
type recentKey struct {
	repository int64
	hash       plumbing.Hash
}

type recentItem struct {
	key    recentKey
	object *object
}

func newRecent(limit int64) *recent {
	return &recent{limit: limit, order: list.New(), at: map[recentKey]*list.Element{}}
}

func (m *recent) get(repository int64, h plumbing.Hash) *object {
	m.mu.Lock()
	defer m.mu.Unlock()
	el := m.at[recentKey{repository, h}]
	if el == nil {
		return nil
	}
	m.order.MoveToFront(el)
	return el.Value.(recentItem).object
}

// put keeps o, unless it alone would take a quarter of the room.
func (m *recent) put(repository int64, o *object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := recentKey{repository, o.hash}
	if m.at[key] != nil || o.size() > m.limit/4 {
		return
	}
	m.at[key] = m.order.PushFront(recentItem{key, o})
	m.used += o.size()
	for m.used > m.limit {
		m.drop(m.order.Back())
	}
}

func (m *recent) drop(el *list.Element) {
	item := m.order.Remove(el).(recentItem)
	delete(m.at, item.key)
	m.used -= item.object.size()
}
