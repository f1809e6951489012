package eventlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/palantir/go-githubapp/githubapp"
	"github.com/rs/zerolog"
)

// acceptTimeout leaves room within the 10 seconds that GitHub waits for an answer
// (https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks).
const acceptTimeout = 8 * time.Second

var _ githubapp.Scheduler = (*Log)(nil)

// Schedule accepts a delivery for the dispatcher, which answers 2xx when it returns
// nil. When nothing can be stored the error is githubapp.ErrCapacityExceeded, which
// is answered with 503, and the delivery can be had again.
func (l *Log) Schedule(ctx context.Context, d githubapp.Dispatch) error {
	if l.opts.KeyOf == nil {
		return errors.New("the event log has no KeyOf, so it cannot tell whose event this is")
	}
	ctx, cancel := context.WithTimeout(ctx, acceptTimeout)
	defer cancel()
	guid := d.DeliveryID
	if guid == "" {
		guid = token(d.EventType + "\n" + string(d.Payload))
	}
	key, keep, err := l.opts.KeyOf(d.EventType, d.Payload)
	switch {
	case err != nil:
		return capacity(l.acceptUnreadable(ctx, guid, d, err))
	case !keep:
		return nil
	}
	if err := l.checkRoom(ctx); err != nil {
		return capacity(err)
	}
	_, err = l.Accept(ctx, guid, d.EventType, key, d.Payload)
	return capacity(err)
}

// acceptUnreadable sets a delivery aside that no lane can be told of.
func (l *Log) acceptUnreadable(ctx context.Context, guid string, d githubapp.Dispatch, why error) error {
	zerolog.Ctx(ctx).Warn().Err(why).Msg("Set a delivery aside whose payload cannot be read")
	e := Event{GUID: guid, Type: d.EventType, Key: unreadable, Payload: d.Payload, ReceivedAt: l.opts.Now()}
	body, err := l.storeBody(ctx, e)
	if err != nil {
		return err
	}
	return l.putAside(ctx, e, body, "the payload cannot be read: "+why.Error())
}

// Accept appends an event and returns when it is synced. fresh is false when the
// GUID waits, is under way, or was done within DoneFor: then nothing is stored. A
// GUID that had been set aside is taken up again, with the payload given now; one
// that waits for its next try is tried at once. When many are accepted at the same time
// that shows only after their common sync, and fresh is true.
//
// One cause that concerns several lanes needs one GUID for each.
func (l *Log) Accept(ctx context.Context, guid, eventType, key string, payload []byte) (fresh bool, err error) {
	if !isWord(eventType) || !isToken(key) {
		return false, fmt.Errorf("accept the event %q of type %q for the lane %q: type and lane must be of letters, digits and -_", guid, eventType, key)
	}
	return l.take(ctx, Event{GUID: printable(guid), Type: eventType, Key: key, Payload: payload, ReceivedAt: l.opts.Now()})
}

// admit appends the event to the log unless its GUID is done or held.
func (l *Log) admit(ctx context.Context, e Event) (fresh bool, err error) {
	if done, err := l.isDone(ctx, e.GUID); done || err != nil {
		return false, err
	}
	old, err := l.lookAside(ctx, e.GUID)
	if err != nil {
		return false, err
	}
	fresh, err = l.appendNew(ctx, e)
	if err == nil && old != nil {
		err = l.forgetAside(ctx, old.Sequence)
	}
	return fresh, err
}

// printable is the GUID as it is shown and kept: what cannot stand in a header
// line is replaced by its hash.
func printable(guid string) string {
	for _, r := range guid {
		if r <= ' ' || r > '~' {
			return token(guid)
		}
	}
	if guid == "" || len(guid) > 200 {
		return token(guid)
	}
	return guid
}

// isDone reports whether the GUID was done within DoneFor.
func (l *Log) isDone(ctx context.Context, guid string) (bool, error) {
	_, err := l.done.Get(ctx, token(guid))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask whether the event %s is done: %w", guid, err)
	}
	return true, nil
}

// appendNew appends the event unless the stream holds its GUID.
func (l *Log) appendNew(ctx context.Context, e Event) (bool, error) {
	body, err := l.storeBody(ctx, e)
	if err != nil {
		return false, err
	}
	msg := body.message(l.subject(e.Key, token(e.GUID)), e)
	_, err = l.js.PublishMsg(ctx, msg, jetstream.WithExpectStream(eventStream), jetstream.WithExpectLastSequencePerSubject(0))
	if isHeld(err) {
		return false, l.dropBody(ctx, e.GUID, body.set)
	}
	if err != nil {
		return false, fmt.Errorf("append the event %s: %w", e.GUID, err)
	}
	return true, nil
}

// isHeld reports whether the server refused because the subject has a message.
func isHeld(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// The server's codes for "no room", which the client has no names for
// (https://github.com/nats-io/nats-server/blob/main/server/errors.json).
const (
	codeNoResources        = 10023
	codeStorageExceeded    = 10047
	codeStreamStoreFailed  = 10077
	codeResourcesExhausted = 10028
)

// capacity marks an error that says "not now" as the one that the dispatcher
// answers with 503.
func capacity(err error) error {
	var api *jetstream.APIError
	full := errors.As(err, &api) && (api.ErrorCode == codeNoResources || api.ErrorCode == codeStorageExceeded ||
		api.ErrorCode == codeStreamStoreFailed || api.ErrorCode == codeResourcesExhausted)
	for _, cause := range []error{
		context.DeadlineExceeded, jetstream.ErrNoStreamResponse,
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrConnectionDraining, nats.ErrReconnectBufExceeded,
	} {
		full = full || errors.Is(err, cause)
	}
	if full {
		return fmt.Errorf("%w: %w", githubapp.ErrCapacityExceeded, err)
	}
	return err
}
