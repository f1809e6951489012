package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func entry(id, installation int64) Entry {
	return Entry{Repo: promotion.Repo{ID: id, Owner: "acme", Name: fmt.Sprintf("repo%d", id), Installation: installation}, HasPipeline: id%2 == 0}
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited 10 s for %s", what)
		}
	}
}

func TestIndex(t *testing.T) {
	s := newStore(t)
	for _, e := range []Entry{entry(3, 7), entry(1, 7), entry(2, 8)} {
		ok(t, s.PutRepo(t.Context(), e))
	}
	got, found := s.Repo(t.Context(), 2)
	if !found {
		t.Error("what was put is not there")
	}
	same(t, got, entry(2, 8))
	same(t, s.Repos(t.Context()), []Entry{entry(1, 7), entry(2, 8), entry(3, 7)})
	same(t, s.Installation(t.Context(), 7), []Entry{entry(1, 7), entry(3, 7)})
	if _, found := s.Repo(t.Context(), 4); found {
		t.Error("found what was never put")
	}
	if err := s.PutRepo(t.Context(), Entry{}); err == nil {
		t.Error("a repository without an ID was indexed")
	}
}

func TestUnchangedEntryCostsNoWrite(t *testing.T) {
	s := newStore(t)
	ok(t, s.PutRepo(t.Context(), entry(1, 7)))
	before := s.index.revision(1)
	ok(t, s.PutRepo(t.Context(), entry(1, 7)))
	info, err := s.stream.Info(t.Context())
	ok(t, err)
	if info.State.LastSeq != before {
		t.Error("it was written again")
	}
}

func TestIndexOverProcessesAndRestarts(t *testing.T) {
	js := serve(t, t.TempDir())
	a, b := open(t, js), open(t, js)
	ok(t, a.PutRepo(t.Context(), entry(1, 7)))
	ok(t, a.PutRepo(t.Context(), entry(2, 7)))
	has := func(s *Store, id int64) bool { _, ok := s.Repo(t.Context(), id); return ok }
	eventually(t, "the other store to hear of it", func() bool { return has(b, 1) && has(b, 2) })
	ok(t, b.DeleteRepo(t.Context(), 1))
	if has(b, 1) {
		t.Error("deleted, and still there")
	}
	eventually(t, "the other store to hear of the deletion", func() bool { return !has(a, 1) })
	same(t, open(t, js).Repos(t.Context()), []Entry{entry(2, 7)}) // Open waits for all of it
}

func TestDeleteRepoLeavesNothing(t *testing.T) {
	s := newStore(t)
	ok(t, s.PutRepo(t.Context(), entry(1, 7)))
	ok(t, s.Record(t.Context(), 1, record(dev, 0, 0, nil)))
	revision := save(t, s, state(1, 1, 5<<15), 0)
	kept := save(t, s, state(11, 1, 10), 0)
	ok(t, s.DeleteRepo(t.Context(), 1))
	ok(t, s.DeleteRepo(t.Context(), 1))
	_, _, err := s.Load(t.Context(), 1)
	wants(t, err, ErrNone)
	_, err = s.Save(t.Context(), state(1, 2, 10), revision)
	wants(t, err, ErrLost)
	if _, got, err := s.Load(t.Context(), 11); err != nil || got != kept {
		t.Errorf("another repository: %d, %v", got, err)
	}
	info, err := s.stream.Info(t.Context())
	ok(t, err)
	if info.State.NumSubjects != 2 { // the other state, and the mark for those who watch
		t.Errorf("%d keys are left", info.State.NumSubjects)
	}
	save(t, s, state(1, 3, 10), 0) // it may come back
	ok(t, s.PutRepo(t.Context(), entry(1, 8)))
	same(t, s.Installation(t.Context(), 8), []Entry{entry(1, 8)})
}

func TestOlderWritesHeardLateChangeNothing(t *testing.T) {
	s := newStore(t)
	x := &s.index
	e, newer := entry(1, 7), entry(1, 8)
	x.put(1, &newer, 20)
	x.put(1, &e, 19)
	same(t, s.Repos(t.Context()), []Entry{newer})
	x.put(1, nil, 21)
	x.put(1, &newer, 20)
	if len(s.Repos(t.Context())) != 0 {
		t.Error("a removed entry came back by an older write")
	}
}
