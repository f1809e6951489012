package eventlog

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Knows reports whether the log has a delivery of that GUID in any place: it
// waits, is under way, waits for its next try, is set aside, or was done within
// DoneFor. What ended at the door left nothing, and is not known.
func (l *Log) Knows(ctx context.Context, guid string) (bool, error) {
	if q := l.crowd.queue; q != nil && q.Has(token(guid)) {
		return true, nil
	}
	done, err := l.isDone(ctx, guid)
	if done || err != nil {
		return done, err
	}
	for _, place := range []struct {
		stream  jetstream.Stream
		subject string
	}{
		{l.events, eventRoot + "*.*." + token(guid)},
		{l.events, retryRoot + token(guid)},
		{l.aside, asideRoot + token(guid)},
	} {
		_, err := place.stream.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(place.subject))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, jetstream.ErrMsgNotFound) {
			return false, fmt.Errorf("ask whether the event %s is held: %w", guid, err)
		}
	}
	return false, nil
}
