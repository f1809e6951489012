package eventlog

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Wake asks for one event of WakeType in the lane of key at the given time, rounded
// up to a second, and takes back what was asked for before. The zero time only
// takes back. What was asked for outlives the process; a time that is past is now.
//
// A wake that comes due while it is replaced may take its replacement along. Who
// sets a wake anew after every wake that it handles loses none.
func (l *Log) Wake(ctx context.Context, key string, at time.Time) error {
	if !isToken(key) {
		return fmt.Errorf("wake the lane %q: a lane must be of letters, digits and -_", key)
	}
	if at.IsZero() {
		if err := l.events.Purge(ctx, jetstream.WithPurgeSubject(timerRoot+key)); err != nil {
			return fmt.Errorf("take back the wake of the lane %s: %w", key, err)
		}
		return nil
	}
	at = wholeSecond(at)
	msg := nats.NewMsg(timerRoot + key)
	msg.Header = Event{GUID: wakeSubject, Type: WakeType, Key: key, ReceivedAt: at}.header()
	if err := l.schedule(ctx, msg, at, l.subject(key, wakeSubject)); err != nil {
		return fmt.Errorf("set the wake of the lane %s: %w", key, err)
	}
	return nil
}

// schedule stores a message that comes to the subject target at the given time.
// It replaces the one stored under the same subject.
func (l *Log) schedule(ctx context.Context, msg *nats.Msg, at time.Time, target string) error {
	_, err := l.js.PublishMsg(ctx, msg, jetstream.WithScheduleAt(at), jetstream.WithScheduleTarget(target))
	return err
}

// wholeSecond rounds up: schedules are kept to the second, and no wake is early.
func wholeSecond(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		return whole.Add(time.Second)
	}
	return t
}
