package intake

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
)

// segmentBytes is from what size on nothing is added to a file.
const segmentBytes = 16 << 20

// ErrClosed means that the queue takes nothing more.
var ErrClosed = errors.New("the intake is closed")

// Queue is an intake.
type Queue struct {
	dir    string
	create func(path string) (disk, error)
	most   int64  // segmentBytes
	number uint64 // of the newest file

	mu      sync.Mutex
	items   []item
	names   map[string]int // how many of items have the name
	bytes   int64          // that items take
	current *segment       // nil: the next record begins a new file
	writing bool           // the writer works on current
	group   *group         // gathers for the next sync; nil: nobody waits
	closed  bool
	more    chan struct{} // has one: a group waits, or the queue is closed
	some    chan struct{} // has one: there may be items
	ended   chan struct{} // closed when the writer has ended
}

// item is one record that is synced.
type item struct {
	name    string
	segment *segment
	at      int64 // where its record begins
	data    int64 // bytes
}

func (i item) bytes() int64 { return headBytes + int64(len(i.name)) + i.data }

// group are the records that share a sync.
type group struct {
	records []byte
	items   []item // with at counted from the group's begin
	done    chan struct{}
	err     error // set before done is closed
}

// Record is one that was appended.
type Record struct {
	Name string
	Data []byte
}

// Open makes the directory, or finds in it what an earlier process left.
func Open(dir string) (*Queue, error) { return open(dir, create) }

func open(dir string, create func(string) (disk, error)) (*Queue, error) {
	q := &Queue{
		dir: dir, create: create, most: segmentBytes, names: map[string]int{},
		more: make(chan struct{}, 1), some: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the intake: %w", err)
	}
	if err := q.recover(); err != nil {
		return nil, fmt.Errorf("read what is left in the intake %s: %w", dir, err)
	}
	signal(q.some)
	go q.write()
	return q, nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Append adds a record and returns when it is synced. One whose name is in the queue
// already is not added again. When ctx ends before, the record may be there or not.
func (q *Queue) Append(ctx context.Context, name string, data []byte) error {
	if name == "" {
		return errors.New("a record of the intake needs a name")
	}
	g, err := q.join(name, data)
	if g == nil || err != nil {
		return err
	}
	select {
	case <-g.done:
		return g.err
	case <-ctx.Done():
		return fmt.Errorf("wait for the intake to be synced: %w", ctx.Err())
	}
}

// join adds a record to the group that waits; nil: there is nothing to wait for.
func (q *Queue) join(name string, data []byte) (*group, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	if q.names[name] > 0 {
		return nil, nil
	}
	if q.group == nil {
		q.group = &group{done: make(chan struct{})}
		signal(q.more)
	}
	g := q.group
	g.items = append(g.items, item{name: name, at: int64(len(g.records)), data: int64(len(data))})
	g.records = appendRecord(g.records, name, data)
	return g, nil
}

// Has reports whether a record of that name is in the queue.
func (q *Queue) Has(name string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.names[name] > 0
}

// Len is how many records are in the queue, and Bytes what they take.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// Bytes is what the records in the queue take.
func (q *Queue) Bytes() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}

// Idle reports whether nothing is in the queue or on its way into it.
func (q *Queue) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) == 0 && q.group == nil && !q.writing
}

// add takes note of a record that is synced.
func (q *Queue) add(s *segment, name string, at, data int64) {
	i := item{name, s, at, data}
	q.items = append(q.items, i)
	q.names[name]++
	q.bytes += i.bytes()
	s.items++
	s.size = at + i.bytes()
}

// Close lets nothing more in, and returns when what is on its way is synced. What
// is in the queue stays for the next process. Further calls do nothing.
func (q *Queue) Close() error {
	q.mu.Lock()
	again := q.closed
	q.closed = true
	signal(q.more)
	q.mu.Unlock()
	<-q.ended
	if again {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	var errs []error
	var last *segment
	for _, i := range q.items {
		if i.segment != last {
			errs = append(errs, i.segment.file.Close())
		}
		last = i.segment
	}
	errs = append(errs, q.giveUp(q.current))
	q.items = nil
	return errors.Join(errs...)
}
