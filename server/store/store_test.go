package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server with a message limit that makes pieces of small values.
func serve(t *testing.T, dir string) jetstream.JetStream {
	t.Helper()
	srv, err := server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true, MaxPayload: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server did not start")
	}
	conn, err := nats.Connect("", nats.InProcessServer(srv))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func open(t *testing.T, js jetstream.JetStream) *Store {
	t.Helper()
	s, err := Open(t.Context(), js, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func newStore(t *testing.T) *Store { return open(t, serve(t, t.TempDir())) }

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wants(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// state is one of about size bytes that do not compress.
func state(repo int64, issue, size int) *promotion.State {
	noise := make([]byte, size/2)
	_, _ = rand.Read(noise)
	return &promotion.State{
		Version: promotion.StateVersion, Issue: issue,
		Repo:     promotion.Repo{ID: repo, Owner: "acme", Name: "web"},
		Problems: []promotion.Problem{{Key: "noise", Text: fmt.Sprintf("%x", noise)}},
	}
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) { // Diff takes minutes for megabytes
		t.Errorf("(-want +got):\n%.2000s", cmp.Diff(fmt.Sprintf("%.9000v", want), fmt.Sprintf("%.9000v", got)))
	}
}

func save(t *testing.T, s *Store, st *promotion.State, revision uint64) uint64 {
	t.Helper()
	next, err := s.Save(t.Context(), st, revision)
	ok(t, err)
	return next
}

// pieces counts the messages of a key's pieces.
func pieces(t *testing.T, s *Store, key string) int {
	t.Helper()
	info, err := s.stream.Info(t.Context(), jetstream.WithSubjectFilter(subjectRoot+key+".p.>"))
	ok(t, err)
	return len(info.State.Subjects)
}

// takes is how many pieces a state takes.
func takes(t *testing.T, s *Store, st *promotion.State) int {
	t.Helper()
	return (len(s.enc.EncodeAll(mustJSON(t, st), nil)) + s.limit - 1) / s.limit
}

func TestStateOverARestart(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{10, 300 << 10} {
		want := state(int64(size), 1, size)
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			save(t, open(t, serve(t, dir)), want, 0)
		})
		t.Run("again", func(t *testing.T) {
			got, revision, err := open(t, serve(t, dir)).Load(t.Context(), int64(size))
			ok(t, err)
			same(t, got, want)
			if revision == 0 {
				t.Error("revision 0")
			}
		})
	}
}

func TestNoState(t *testing.T) {
	s := newStore(t)
	_, _, err := s.Load(t.Context(), 1)
	wants(t, err, ErrNone)
	if _, err := s.Save(t.Context(), &promotion.State{}, 0); err == nil {
		t.Error("a state of no repository was saved")
	}
}

func TestStaleRevisionLoses(t *testing.T) {
	s := newStore(t)
	for name, size := range map[string]int{"whole": 10, "in pieces": 5 << 15} {
		t.Run(name, func(t *testing.T) {
			repo := int64(size)
			first := save(t, s, state(repo, 1, size), 0)
			second := save(t, s, state(repo, 2, size), first)
			kept := pieces(t, s, stateKey(repo))
			for _, stale := range []uint64{0, first, second + 100} {
				_, err := s.Save(t.Context(), state(repo, 3, size), stale)
				wants(t, err, ErrLost)
			}
			got, revision, err := s.Load(t.Context(), repo)
			ok(t, err)
			if got.Issue != 2 || revision != second {
				t.Errorf("issue %d at %d, want 2 at %d", got.Issue, revision, second)
			}
			if n := pieces(t, s, stateKey(repo)); n != kept {
				t.Errorf("the losers left pieces: %d, before %d", n, kept)
			}
		})
	}
}

func TestOneOfManyWritersWins(t *testing.T) {
	js := serve(t, t.TempDir())
	stores := []*Store{open(t, js), open(t, js)}
	base := save(t, stores[0], state(1, 0, 2<<16), 0)
	var won, lost sync.Map
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := stores[i%2].Save(t.Context(), state(1, i+1, 2<<16), base)
			if errors.Is(err, ErrLost) {
				lost.Store(i, err)
			} else if err == nil {
				won.Store(i+1, true)
			}
		})
	}
	all.Wait()
	got, _, err := stores[0].Load(t.Context(), 1)
	ok(t, err)
	if _, is := won.Load(got.Issue); !is || count(&won) != 1 || count(&lost) != 7 {
		t.Errorf("%d won and %d lost; stored is %d", count(&won), count(&lost), got.Issue)
	}
	if n, want := pieces(t, stores[0], "state.1"), takes(t, stores[0], got); n != want {
		t.Errorf("%d pieces are left of a value that takes %d", n, want)
	}
}

func count(m *sync.Map) (n int) {
	m.Range(func(any, any) bool { n++; return true })
	return n
}

func TestReadersNeverSeeATornValue(t *testing.T) {
	s := newStore(t)
	revision := save(t, s, state(1, 0, 2<<16), 0)
	ctx, stop := context.WithCancel(t.Context())
	var reader sync.WaitGroup
	reads := 0
	reader.Go(func() {
		for ctx.Err() == nil {
			if _, _, err := s.Load(t.Context(), 1); err != nil {
				t.Errorf("read %d: %v", reads, err)
				return
			}
			reads++
		}
	})
	for i := range 30 {
		revision = save(t, s, state(1, i, 2<<16), revision)
	}
	stop()
	reader.Wait()
}

func TestPiecesGoWithTheirValue(t *testing.T) {
	js := serve(t, t.TempDir())
	s := open(t, js)
	revision := save(t, s, state(1, 1, 5<<15), 0)
	if n := pieces(t, s, "state.1"); n < 2 {
		t.Errorf("%d pieces", n)
	}
	// What a crash before the head leaves, and one that nobody who lives wrote.
	_, _, err := s.pack(t.Context(), "state.1", mustJSON(t, state(1, 2, 5<<15)))
	ok(t, err)
	s = open(t, js)
	third := state(1, 3, 5<<15)
	revision = save(t, s, third, revision)
	if n, want := pieces(t, s, "state.1"), takes(t, s, third); n != want {
		t.Errorf("%d pieces, also of a dead writer; the value takes %d", n, want)
	}
	save(t, s, state(1, 4, 10), revision)
	if n := pieces(t, s, "state.1"); n != 0 {
		t.Errorf("%d pieces of a value that needs none", n)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	ok(t, err)
	return data
}

func TestNewerStateIsLeftAlone(t *testing.T) {
	s := newStore(t)
	st := state(1, 1, 10)
	st.Version = promotion.StateVersion + 1
	save(t, s, st, 0)
	_, _, err := s.Load(t.Context(), 1)
	wants(t, err, ErrNewer)
}

// A state of an older version is read, and becomes one of this version, so that
// an older binary leaves alone what is saved next.
func TestOlderStateIsTakenOver(t *testing.T) {
	s := newStore(t)
	st := state(1, 1, 10)
	st.Version = promotion.StateVersion - 1
	save(t, s, st, 0)
	got, _, err := s.Load(t.Context(), 1)
	ok(t, err)
	if got.Version != promotion.StateVersion {
		t.Errorf("the loaded state has version %d, want %d", got.Version, promotion.StateVersion)
	}
}

func TestDamagedValues(t *testing.T) {
	s := newStore(t)
	empty, err := s.writeBase(t.Context(), "state.1", changed{})
	ok(t, err)
	for name, value := range map[string][]byte{
		"nothing": nil, "short": {1}, "version": {9, 'w', 1}, "kind": {1, '?', 1}, "noise": {1, 'w', 1, 2, 3},
		"no pieces": []byte("\x01pABC/2"), "no number": []byte("\x01pABC"), "all the numbers": []byte("\x01pABC/99999999999"),
		"noise apart": {1, 'a', 1, 2, 3}, "no base": over(s, `{"rest":{}}`), "a base that is gone": over(s, `{"rest":{},"base":"ABC/1"}`),
		"nothing over a base": over(s, `{"base":"`+empty.pieces.named()+`"}`),
	} {
		_, err := s.kv.Put(t.Context(), "state.1", value)
		ok(t, err)
		if _, _, err := s.Load(t.Context(), 1); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// over is a head that is kept over a base.
func over(s *Store, data string) []byte {
	return s.enc.EncodeAll([]byte(data), []byte{valueVersion, kindApart})
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("\x01w"))
	f.Add([]byte("\x01pABC/2"))
	dir := f.TempDir()
	var s *Store
	f.Fuzz(func(t *testing.T, head []byte) {
		if len(head) > 1 && head[1] == kindSplit {
			t.Skip() // asks the server
		}
		if s == nil {
			s = &Store{}
			tmp := open(t, serve(t, dir))
			s.enc, s.dec = tmp.enc, tmp.dec
		}
		_, _ = s.unpack(t.Context(), "state.1", head)
	})
}

func TestLeaderReads(t *testing.T) {
	s := newStore(t)
	save(t, s, state(1, 1, 10), 0)
	ok(t, s.readFromLeader(t.Context()))
	if s.stream.CachedInfo().Config.AllowDirect {
		t.Error("any replica answers")
	}
	got, _, err := s.Load(t.Context(), 1)
	ok(t, err)
	if got.Issue != 1 {
		t.Error(got.Issue)
	}
	open(t, s.js) // and another process finds it so
}
