package eventlog

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// flight is one event that the server delivered and that is not finished.
type flight struct {
	seq  uint64 // in the stream: the order of acceptance
	key  string
	guid string // as a token; set when it is handed to the worker
	body bodyRef

	mu  sync.Mutex
	msg jetstream.Msg // the newest delivery of it
}

func (f *flight) message() jetstream.Msg {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.msg
}

// flights are those of a log.
type flights struct {
	mu     sync.Mutex
	bySeq  map[uint64]*flight
	byGUID map[string]*flight
}

func (s *flights) init() {
	s.bySeq, s.byGUID = map[uint64]*flight{}, map[string]*flight{}
}

// add takes note of a delivery. fresh is false when that event is in flight
// already: from now on the newer delivery is the one to answer.
func (s *flights) add(seq uint64, msg jetstream.Msg) (f *flight, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f = s.bySeq[seq]; f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.msg = msg
		return f, false
	}
	f = &flight{seq: seq, key: keyIn(msg.Subject()), msg: msg}
	s.bySeq[seq] = f
	return f, true
}

// claim reports whether f is the only one in flight with that GUID.
func (s *flights) claim(f *flight, guid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byGUID[guid] != nil {
		return false
	}
	f.guid = guid
	s.byGUID[guid] = f
	return true
}

func (s *flights) has(seq uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bySeq[seq] != nil
}

func (s *flights) remove(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.bySeq, f.seq)
	if f.guid != "" {
		delete(s.byGUID, f.guid)
	}
}

// all gives those in flight in the order of acceptance.
func (s *flights) all() []*flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*flight, 0, len(s.bySeq))
	for _, f := range s.bySeq {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *flight) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	return list
}

// heartbeat tells the server that what is in flight is being worked on, until ctx
// ends.
func (l *Log) heartbeat(ctx context.Context) {
	l.every(ctx, func() {
		for _, f := range l.flights.all() {
			_ = f.message().InProgress() // one that fails is followed by the next
		}
	})
}

// watch strikes off what other processes have finished, until ctx ends.
func (l *Log) watch(ctx context.Context) {
	l.every(ctx, func() {
		for _, p := range l.partitions {
			p.resolve(ctx)
		}
	})
}

// every calls f three times in an AckWait.
func (l *Log) every(ctx context.Context, f func()) {
	tick := time.NewTicker(l.opts.AckWait / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f()
		}
	}
}
