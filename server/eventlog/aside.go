package eventlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// AsideEvent is an event that was set aside.
type AsideEvent struct {
	GUID       string    `json:"guid"`
	Type       string    `json:"type"`
	Key        string    `json:"key"` // "x": no lane could be told from the payload
	Reason     string    `json:"reason"`
	ReceivedAt time.Time `json:"receivedAt"`
	At         time.Time `json:"at"`    // when it was set aside
	Tries      int       `json:"tries"` // that failed
	Size       int       `json:"size"`  // of the payload, in bytes
}

// ErrNotAside means that no event of that GUID is set aside.
var ErrNotAside = errors.New("no such event is set aside")

// SetAside ends an event that keeps failing. It is kept for AsideFor, shown by
// Aside, and comes again by Replay or when the same GUID is accepted anew. After an
// error it is no longer ours, and comes again when AckWait is over.
func (l *Log) SetAside(ctx context.Context, e Event, reason string) error {
	if e.flight == nil {
		return errNotOurs(e, "set aside")
	}
	e.Tries++
	if err := l.putAside(ctx, e, e.flight.body, reason); err != nil {
		l.giveBack(e.flight)
		return err
	}
	return l.leave(ctx, e.flight)
}

func (l *Log) putAside(ctx context.Context, e Event, body bodyRef, reason string) error {
	e.GUID, e.Reason = printable(e.GUID), reason
	msg := body.message(asideRoot+token(e.GUID), e)
	msg.Header.Set(headAside, l.opts.Now().UTC().Format(time.RFC3339Nano))
	if _, err := l.js.PublishMsg(ctx, msg); err != nil {
		return fmt.Errorf("set the event %s aside: %w", e.GUID, err)
	}
	return nil
}

// Aside lists what is set aside, the newest first.
func (l *Log) Aside(ctx context.Context) ([]AsideEvent, error) {
	info, err := l.aside.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the events set aside: %w", err)
	}
	if info.State.Msgs == 0 {
		return nil, nil
	}
	c, err := l.aside.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{asideRoot + "*"}, HeadersOnly: true, DeliverPolicy: jetstream.DeliverAllPolicy})
	if err != nil {
		return nil, fmt.Errorf("list the events set aside: %w", err)
	}
	batch, err := c.FetchNoWait(int(info.State.Msgs))
	if err != nil {
		return nil, fmt.Errorf("list the events set aside: %w", err)
	}
	var list []AsideEvent
	for msg := range batch.Messages() {
		if a, err := asideFrom(msg.Headers()); err != nil {
			l.log.Warn().Err(err).Str("subject", msg.Subject()).Msg("An event that is set aside cannot be listed")
		} else if done, _ := l.isDone(ctx, a.GUID); !done { // see doc.go: a crash may leave one here that was done later
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b AsideEvent) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.GUID, b.GUID)) })
	return list, batch.Error()
}

func asideFrom(h nats.Header) (AsideEvent, error) {
	e, err := fromHeader(h)
	if err != nil {
		return AsideEvent{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, h.Get(headAside))
	if err != nil {
		return AsideEvent{}, fmt.Errorf("when it was set aside: %w", err)
	}
	size, err := strconv.Atoi(h.Get(headSize))
	if err != nil {
		return AsideEvent{}, fmt.Errorf("its size: %w", err)
	}
	return AsideEvent{GUID: e.GUID, Type: e.Type, Key: e.Key, Reason: e.Reason, ReceivedAt: e.ReceivedAt, At: at, Tries: e.Tries, Size: size}, nil
}

// Replay takes an event up again that was set aside, as if it had just arrived,
// with all its tries before it. Without one it returns ErrNotAside.
func (l *Log) Replay(ctx context.Context, guid string) error {
	msg, err := l.lookAside(ctx, guid)
	if err != nil {
		return err
	}
	if msg == nil {
		return fmt.Errorf("replay the event %s: %w", guid, ErrNotAside)
	}
	e, err := l.readAside(ctx, msg)
	if err != nil {
		return fmt.Errorf("replay the event %s: %w", guid, err)
	}
	if _, err := l.appendNew(ctx, e); err != nil {
		return err
	}
	return l.forgetAside(ctx, msg.Sequence)
}

func (l *Log) readAside(ctx context.Context, msg *jetstream.RawStreamMsg) (Event, error) {
	e, err := fromHeader(msg.Header)
	if err != nil {
		return e, err
	}
	ref, err := bodyIn(msg.Header)
	if err != nil {
		return e, err
	}
	if e.Payload, err = l.load(ctx, e.GUID, ref, msg.Data); err != nil {
		return e, err
	}
	e.Tries, e.Reason = 0, ""
	if e.Key != unreadable || l.opts.KeyOf == nil {
		return e, nil
	}
	// This version may read what an earlier one could not.
	key, keep, err := l.opts.KeyOf(e.Type, e.Payload)
	switch {
	case err != nil:
		return e, fmt.Errorf("the payload still cannot be read: %w", err)
	case !keep:
		return e, errors.New("the payload concerns no repository that has a pipeline")
	}
	e.Key = key
	return e, nil
}

// lookAside finds the event in the stream of those set aside; nil: it is not there.
func (l *Log) lookAside(ctx context.Context, guid string) (*jetstream.RawStreamMsg, error) {
	msg, err := l.aside.GetLastMsgForSubject(ctx, asideRoot+token(guid))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ask whether the event %s is set aside: %w", guid, err)
	}
	return msg, nil
}

// forgetAside removes exactly the record that was read: the event may have run and
// been set aside anew meanwhile.
func (l *Log) forgetAside(ctx context.Context, seq uint64) error {
	if err := l.aside.DeleteMsg(ctx, seq); err != nil && !isNoMessage(err) && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return fmt.Errorf("remove the record of an event that was set aside: %w", err)
	}
	return nil
}
