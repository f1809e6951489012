package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// monorepo is the state of a repository with pipelines that hold about a kilobyte each.
func monorepo(pipelines int) *promotion.State {
	s := state(1, 1, 10)
	s.Pipelines, s.Local.Config = map[string]*promotion.PipelineState{}, map[string]*promotion.Pipeline{}
	for i := range pipelines {
		name := fmt.Sprintf("app-%03d", i)
		s.Pipelines[name] = pipelineState(int64(i))
		s.Local.Config[name] = &promotion.Pipeline{Name: name, Path: ".github/stagecoach/" + name + ".yml"}
	}
	return s
}

func pipelineState(number int64) *promotion.PipelineState {
	ps := &promotion.PipelineState{NextNumber: number}
	for i := range 10 {
		ps.Freight = append(ps.Freight, &promotion.Freight{ID: fmt.Sprintf("%020x%020x", number, i), Number: number + int64(i)})
	}
	return ps
}

// with is the state after a decision that changed some pipelines; what it shares is the same.
func with(s *promotion.State, change func(next *promotion.State)) *promotion.State {
	next := *s
	next.Pipelines, next.Local.Config = maps.Clone(s.Pipelines), maps.Clone(s.Local.Config)
	next.Revision++
	change(&next)
	return &next
}

// head is the stored head of repository 1.
func head(t *testing.T, s *Store) []byte {
	t.Helper()
	e, err := s.kv.Get(t.Context(), stateKey(1))
	ok(t, err)
	return e.Value()
}

// written counts the messages that the bucket ever got.
func written(t *testing.T, s *Store) int {
	t.Helper()
	info, err := s.stream.Info(t.Context())
	ok(t, err)
	return int(info.State.LastSeq)
}

// What a save writes of a state with hundreds of pipelines is what changed.
func TestASaveCostsWhatChanged(t *testing.T) {
	js := serve(t, t.TempDir())
	s := open(t, js)
	size := map[int]int{}
	for _, n := range []int{50, 500} {
		st := monorepo(n)
		revision := uint64(0)
		if _, r, err := s.Load(t.Context(), 1); err == nil {
			revision = r
		}
		revision = save(t, s, st, revision)
		if r := open(t, js); n == 500 { // also right after a start
			var err error
			st, revision, err = r.Load(t.Context(), 1)
			ok(t, err)
			s = r
		}
		before := written(t, s)
		for i := range 20 { // one pipeline again and again, as in the life of a promotion
			st = with(st, func(next *promotion.State) { next.Pipelines["app-007"] = pipelineState(int64(1000 + i)) })
			revision = save(t, s, st, revision)
		}
		if got := written(t, s) - before; got != 20 {
			t.Errorf("%d pipelines: %d messages for 20 saves", n, got)
		}
		size[n] = len(head(t, s))
	}
	if size[500] > size[50]+50 || size[500] > 2000 {
		t.Errorf("a save takes %d bytes among 500 pipelines and %d among 50", size[500], size[50])
	}
}

// Whatever is saved in whatever order, by whichever process, is what is loaded, and no
// pieces are left that it does not need.
func TestStatesThatAreKeptApart(t *testing.T) {
	js := serve(t, t.TempDir())
	luck := rand.New(rand.NewPCG(1, 2))
	s := open(t, js)
	want := monorepo(3)
	revision := save(t, s, want, 0)
	some := func(next *promotion.State, n int, do func(name string)) {
		for range n {
			do(fmt.Sprintf("app-%03d", luck.IntN(60)))
		}
	}
	kinds, moves := map[byte]int{}, []func(next *promotion.State){
		func(next *promotion.State) {
			some(next, 1, func(name string) { next.Pipelines[name] = pipelineState(luck.Int64()) })
		},
		func(next *promotion.State) { // more than a head takes
			some(next, 40, func(name string) { next.Pipelines[name] = pipelineState(luck.Int64()) })
		},
		func(next *promotion.State) {
			some(next, 2, func(name string) { delete(next.Pipelines, name); delete(next.Local.Config, name) })
		},
		func(next *promotion.State) {
			some(next, 2, func(name string) {
				next.Local.Config[name] = &promotion.Pipeline{Name: name, Path: fmt.Sprint(luck.Int64())}
			})
		},
		func(next *promotion.State) { next.Problems = state(1, 1, 100).Problems },
		func(next *promotion.State) { next.Problems = state(1, 1, 2<<16).Problems }, // no head takes this
		func(next *promotion.State) { // as few as are kept whole
			for name := range next.Pipelines {
				if len(next.Pipelines) > 5 {
					delete(next.Pipelines, name)
				}
			}
		},
	}
	for i := range 35 {
		weight := []int{0, 0, 0, 0, 1, 1, 2, 3, 4, 4, 4, 4, 5, 6}
		move := weight[luck.IntN(len(weight))]
		next := with(want, moves[move])
		if luck.IntN(5) == 0 { // another process goes on
			s = open(t, js)
			loaded, r, err := s.Load(t.Context(), 1)
			ok(t, err)
			same(t, mustJSONOf(t, loaded), mustJSONOf(t, want))
			revision = r
			want = loaded
			next = with(want, moves[move])
		}
		if luck.IntN(5) == 0 { // those who are late lose, and leave nothing
			before := pieces(t, s, stateKey(1))
			for _, late := range []func(*promotion.State){moves[0], moves[1], moves[5]} {
				_, err := open(t, js).Save(t.Context(), with(monorepo(30), late), revision-1)
				wants(t, err, ErrLost)
			}
			_, err := s.Save(t.Context(), with(want, moves[1]), revision-1)
			wants(t, err, ErrLost)
			if n := pieces(t, s, stateKey(1)); n != before {
				t.Fatalf("move %d: those who lost left %d pieces, there were %d", i, n, before)
			}
		}
		revision, want = save(t, s, next, revision), next
		got, r, err := s.Load(t.Context(), 1)
		ok(t, err)
		if r != revision {
			t.Fatalf("move %d: revision %d, want %d", i, r, revision)
		}
		same(t, mustJSONOf(t, got), mustJSONOf(t, want))
		kinds[head(t, s)[1]]++
		if n, most := pieces(t, s, stateKey(1)), 1+takes(t, s, want); n > most {
			t.Fatalf("move %d of kind %d: %d pieces, want at most %d", i, move, n, most)
		}
	}
	if kinds[kindApart] < 8 || kinds[kindWhole] < 3 || kinds[kindSplit] < 2 {
		t.Errorf("heads by kind: %v", kinds)
	}
}

func mustJSONOf(t *testing.T, s *promotion.State) string { return string(mustJSON(t, s)) }

// A base that another process has replaced is not written over.
func TestABaseOfAnOlderHeadIsNotUsed(t *testing.T) {
	js := serve(t, t.TempDir())
	s, other := open(t, js), open(t, js)
	st := monorepo(40)
	revision := save(t, s, st, 0)
	st = with(st, func(next *promotion.State) { next.Pipelines["app-001"] = pipelineState(7) })
	revision = save(t, other, st, revision) // it knows of no base, and writes its own
	save(t, s, with(st, func(*promotion.State) {}), revision)
	got, _, err := open(t, js).Load(t.Context(), 1)
	ok(t, err)
	same(t, got.Pipelines, st.Pipelines)
}

// A save that the server did not answer may have been stored: what it names must stay.
func TestASaveWithoutAnAnswerKeepsItsPieces(t *testing.T) {
	s := newStore(t)
	st := monorepo(40)
	silent := errors.New("no answer")
	kv := s.kv
	s.kv = unanswered{kv, silent}
	_, err := s.Save(t.Context(), st, 0)
	wants(t, err, silent)
	s.kv = kv
	got, revision, err := s.Load(t.Context(), 1)
	ok(t, err)
	same(t, mustJSONOf(t, got), mustJSONOf(t, st))
	next := with(got, func(next *promotion.State) { next.Pipelines["app-001"] = pipelineState(7) })
	_, err = s.Save(t.Context(), next, 0) // the same try again
	wants(t, err, ErrLost)
	save(t, s, next, revision)
	got, _, err = s.Load(t.Context(), 1)
	ok(t, err)
	same(t, mustJSONOf(t, got), mustJSONOf(t, next))
}

// unanswered stores heads, and says nothing of it.
type unanswered struct {
	jetstream.KeyValue
	err error
}

func (u unanswered) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	_, _ = u.KeyValue.Create(ctx, key, value, opts...)
	return 0, u.err
}
