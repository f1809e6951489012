package eventlog

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// verdict says what to do with an event that was taken.
type verdict bool

const (
	keep verdict = true
	drop verdict = false // nothing is left to do for it
)

// examine reads an event before it is handed on. Dropped are those that are done,
// those of a GUID that is in flight already, and those that cannot be read, which
// it sets aside.
func (l *Log) examine(ctx context.Context, f *flight) (Event, verdict, error) {
	msg := f.message()
	e, err := fromHeader(msg.Headers())
	if err == nil {
		f.body, err = bodyIn(msg.Headers())
	}
	if err != nil {
		return e, drop, l.putAside(ctx, l.nameless(f, msg), bodyRef{}, "the stored event cannot be read: "+err.Error())
	}
	if e.GUID == wakeSubject {
		e.GUID = fmt.Sprintf("wake-%s-%d", e.Key, f.seq)
	}
	e.flight = f
	if v, err := l.wanted(ctx, f, e); v == drop || err != nil {
		return e, drop, err
	}
	e.Payload, err = l.load(ctx, e.GUID, f.body, msg.Data())
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return e, drop, l.putAside(ctx, e, bodyRef{}, err.Error())
	}
	if err != nil {
		return e, drop, err
	}
	if !l.flights.claim(f, token(e.GUID)) {
		return e, drop, nil
	}
	return e, keep, nil
}

// wanted reports whether an event still is to be run.
func (l *Log) wanted(ctx context.Context, f *flight, e Event) (verdict, error) {
	if meta, err := f.message().Metadata(); err == nil && meta.NumDelivered > 1 {
		// It may have been finished after the server had sent it again.
		if _, err := l.events.GetMsg(ctx, f.seq); errors.Is(err, jetstream.ErrMsgNotFound) {
			return drop, nil
		} else if err != nil {
			return keep, fmt.Errorf("ask whether event number %d is finished: %w", f.seq, err)
		}
	}
	if e.Type == WakeType {
		return keep, nil
	}
	done, err := l.isDone(ctx, e.GUID)
	return verdict(!done), err
}

// nameless stands for a message that somebody else put into the stream.
func (l *Log) nameless(f *flight, msg jetstream.Msg) Event {
	return Event{
		GUID: fmt.Sprintf("number-%d", f.seq), Type: "stagecoach.unreadable", Key: unreadable,
		Payload: msg.Data(), ReceivedAt: l.opts.Now(),
	}
}
