package eventlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/palantir/go-githubapp/githubapp"

	"github.com/stagecoach-app/stagecoach/server/eventlog/intake"
)

// straightOn is how many deliveries at the same time are appended to the log one by
// one, each with a sync of its own. What comes beyond that shares the syncs of the
// intake, and everything else too until the log has what is in it, so that no event
// overtakes another of its lane.
const straightOn = 4

// intakeBytes is how much the intake may hold before Schedule refuses what comes.
const intakeBytes = 256 << 20

// crowd is the way of deliveries that come many at a time.
type crowd struct {
	queue    *intake.Queue // nil: there is none, and all go straight on
	most     int64         // intakeBytes
	straight chan struct{} // has one for each that goes straight on
	drained  sync.WaitGroup
	stop     context.CancelFunc
}

// openCrowd opens the intake, and begins to bring into the log what it holds.
func (l *Log) openCrowd(ctx context.Context) (err error) {
	l.crowd.most, l.crowd.straight = intakeBytes, make(chan struct{}, straightOn)
	if l.opts.Intake == "" {
		return nil
	}
	if l.crowd.queue, err = intake.Open(l.opts.Intake); err != nil {
		return err
	}
	ctx, l.crowd.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.crowd.drained.Go(func() { l.drain(ctx) })
	return nil
}

// closeCrowd brings what the intake holds into the log, if that is soon done; the
// next process finds the rest.
func (l *Log) closeCrowd(ctx context.Context) {
	if l.crowd.queue == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for l.crowd.queue.Len() > 0 && ctx.Err() == nil {
		sleep(ctx, 5*time.Millisecond)
	}
	l.crowd.stop()
	l.crowd.drained.Wait()
	if err := l.crowd.queue.Close(); err != nil {
		l.log.Warn().Err(err).Msg("The intake of the event log could not be closed")
	}
}

// take appends the event to the log, or to the intake when many come. It returns
// when the event is synced.
func (l *Log) take(ctx context.Context, e Event) (fresh bool, err error) {
	q := l.crowd.queue
	if q == nil {
		return l.admit(ctx, e)
	}
	select {
	case l.crowd.straight <- struct{}{}:
		defer func() { <-l.crowd.straight }()
		if q.Idle() {
			return l.admit(ctx, e)
		}
	default:
	}
	data, err := pack(e)
	if err != nil {
		return false, err
	}
	if name := token(e.GUID); !q.Has(name) {
		fresh, err = true, q.Append(ctx, name, data)
	}
	if err != nil {
		return false, fmt.Errorf("%w: take the event %s in: %w", githubapp.ErrCapacityExceeded, e.GUID, err)
	}
	return fresh, nil
}

// drain brings what is in the intake into the log, until ctx ends.
func (l *Log) drain(ctx context.Context) {
	for ctx.Err() == nil {
		var some []intake.Record
		l.keepTrying(ctx, "read its intake", func() (err error) { some, err = l.crowd.queue.Next(ctx); return err })
		if !l.admitAll(ctx, some) {
			return // what is in the log by now is known to it when it comes again
		}
		if err := l.crowd.queue.Drop(len(some)); err != nil {
			l.log.Warn().Err(err).Msg("The event log could not remove a file of its intake; what is in it is done once all the same")
		}
	}
}

// admitAll brings records into the log, those of different lanes at the same time. It
// reports whether all are there.
func (l *Log) admitAll(ctx context.Context, some []intake.Record) bool {
	lanes := map[string][]Event{}
	for _, r := range some {
		e := unpack(r)
		lanes[e.Key] = append(lanes[e.Key], e)
	}
	var all sync.WaitGroup
	for _, events := range lanes {
		all.Go(func() {
			for _, e := range events {
				l.keepTrying(ctx, "take an event from its intake", func() error { return l.admitOrPutAside(ctx, e) })
			}
		})
	}
	all.Wait()
	return ctx.Err() == nil
}

func (l *Log) admitOrPutAside(ctx context.Context, e Event) error {
	if e.Key != unreadable {
		_, err := l.admit(ctx, e)
		return err
	}
	body, err := l.storeBody(ctx, e)
	if err != nil {
		return err
	}
	return l.putAside(ctx, e, body, e.Reason)
}

// pack writes an event as the intake keeps it: a line of what else is in a message's
// headers, then the payload.
func pack(e Event) ([]byte, error) {
	head, err := json.Marshal(e.header())
	if err != nil {
		return nil, fmt.Errorf("write the event %s down: %w", e.GUID, err)
	}
	return append(append(head, '\n'), e.Payload...), nil
}

// unpack reads what pack wrote. What cannot be read is an event of no lane, with the
// reason.
func unpack(r intake.Record) Event {
	e, err := readPacked(r.Data)
	if err != nil {
		return Event{
			GUID: r.Name, Type: "stagecoach.unreadable", Key: unreadable, Payload: r.Data,
			ReceivedAt: time.Now(), Reason: "the record of the intake cannot be read: " + err.Error(),
		}
	}
	return e
}

func readPacked(data []byte) (Event, error) {
	head, payload, ok := bytes.Cut(data, []byte("\n"))
	if !ok {
		return Event{}, errors.New("it has one line")
	}
	var h nats.Header
	if err := json.Unmarshal(head, &h); err != nil {
		return Event{}, err
	}
	e, err := fromHeader(h)
	if err == nil && (!isWord(e.Type) || !isToken(e.Key)) {
		err = fmt.Errorf("type %q and lane %q are no words", e.Type, e.Key)
	}
	e.Payload = payload
	return e, err
}
