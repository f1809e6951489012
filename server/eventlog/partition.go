package eventlog

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// partition takes the events of some lanes from the server and hands them on, in
// the order of acceptance for each lane.
type partition struct {
	log      *Log
	number   int
	consumer jetstream.Consumer // set before anything is taken

	mu      sync.Mutex
	ctx     context.Context // of Run; nil: shut
	deliver func(Event)
	pin     string // the server's name for our hold on the partition
	last    uint64 // the consumer's number of the last delivery
	// before has, by lane, the numbers of events that were delivered to somebody
	// else or got lost on the way to us: what is newer waits for them.
	before  map[string][]uint64
	waiting map[string][]*flight // by lane, in order: taken, behind one of before
}

func newPartition(l *Log, number int) *partition {
	return &partition{log: l, number: number, before: map[string][]uint64{}, waiting: map[string][]*flight{}}
}

func (p *partition) consumerName() string { return "p" + strconv.Itoa(p.number) }
func (p *partition) filter() string       { return fmt.Sprintf("%s%d.>", eventRoot, p.number) }

func (p *partition) open(ctx context.Context, deliver func(Event)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.deliver = ctx, deliver
}

// shut waits for the delivery under way, and lets none follow. What was not handed
// on stays with the server.
func (p *partition) shut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.deliver = nil, nil
	for _, line := range p.waiting {
		for _, f := range line {
			_ = f.message().Nak()
			p.log.flights.remove(f)
		}
	}
	clear(p.waiting)
	clear(p.before)
}

// take is called by the client for each delivery, one at a time.
func (p *partition) take(msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil {
		p.log.log.Error().Err(err).Str("subject", msg.Subject()).Msg("A message of the event log has no place in it")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx == nil || !p.settle(msg, meta) {
		return
	}
	f, fresh := p.log.flights.add(meta.Sequence.Stream, msg)
	if fresh {
		p.line(f)
	}
}

// line puts f in its place of its lane and hands on what may go.
func (p *partition) line(f *flight) {
	if before := p.before[f.key]; len(before) > 0 {
		if i, found := slices.BinarySearch(before, f.seq); found {
			p.before[f.key] = slices.Delete(before, i, i+1)
		}
	}
	line := p.waiting[f.key]
	i, _ := slices.BinarySearchFunc(line, f.seq, func(w *flight, seq uint64) int {
		if w.seq < seq {
			return -1
		}
		return 1
	})
	p.waiting[f.key] = slices.Insert(line, i, f)
	p.advance(f.key)
}

// advance hands on the events of a lane that wait for no earlier one.
func (p *partition) advance(key string) {
	before, line := p.before[key], p.waiting[key]
	for len(line) > 0 && (len(before) == 0 || line[0].seq < before[0]) {
		p.hand(line[0])
		line = line[1:]
	}
	p.waiting[key] = line
	if len(line) == 0 {
		delete(p.waiting, key)
	}
	if len(before) == 0 {
		delete(p.before, key)
	}
}

// hand gives one event to the worker, unless it is done or there twice.
func (p *partition) hand(f *flight) {
	ctx, l := p.ctx, p.log
	var e Event
	verdict := keep
	if !l.keepTrying(ctx, "read an event", func() (err error) {
		e, verdict, err = l.examine(ctx, f)
		return err
	}) {
		l.flights.remove(f) // it stays with the server
		return
	}
	if verdict == keep {
		p.deliver(e)
		return
	}
	if err := l.finish(ctx, f); err != nil {
		l.flights.remove(f) // it comes again, and is dropped then
		l.log.Warn().Err(err).Msg("An event that is done could not be dropped")
	}
}

// unpin gives the partition free for another process.
func (p *partition) unpin(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pin == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	info, err := p.consumer.Info(ctx)
	if err != nil {
		return // it is free after a while anyway
	}
	for _, g := range info.PriorityGroups {
		if g.PinnedClientID == p.pin {
			_ = p.log.events.UnpinConsumer(ctx, p.consumerName(), group)
		}
	}
}
