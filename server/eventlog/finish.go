package eventlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Done ends an event for good: its GUID is remembered for DoneFor, then it leaves
// the log. After an error it is still under way, and Done can be called again.
func (l *Log) Done(ctx context.Context, e Event) error {
	if e.flight == nil {
		return errNotOurs(e, "done")
	}
	if e.Type != WakeType { // a wake's name is used once
		if _, err := l.done.Put(ctx, token(e.GUID), nil); err != nil {
			return fmt.Errorf("remember that the event %s is done: %w", e.GUID, err)
		}
	}
	if err := l.finish(ctx, e.flight); err != nil {
		return err
	}
	if e.flight.body.set == "" {
		return nil
	}
	return l.dropBody(ctx, e.GUID, "*")
}

// Retry ends this try of an event: it comes again, behind what its lane has got by
// then, after the given time, rounded up to a second. When that was its last try it
// is set aside instead. reason is kept and shown. After an error the event is no
// longer ours: it comes again when AckWait is over.
func (l *Log) Retry(ctx context.Context, e Event, after time.Duration, reason string) error {
	if e.flight == nil {
		return errNotOurs(e, "to be tried again")
	}
	if e.Tries+1 >= l.opts.MaxTries {
		return l.SetAside(ctx, e, reason)
	}
	e.Tries, e.Reason = e.Tries+1, reason
	msg := e.flight.body.message(retryRoot+token(e.GUID), e)
	last := token(e.GUID)
	if e.Type == WakeType {
		last = wakeSubject
	}
	if err := l.schedule(ctx, msg, wholeSecond(l.opts.Now().Add(after)), l.subject(e.Key, last)); err != nil {
		l.giveBack(e.flight)
		return fmt.Errorf("schedule the next try of the event %s: %w", e.GUID, err)
	}
	return l.leave(ctx, e.flight)
}

// leave is finish for what has another place by now: whatever the server answers,
// it is no longer ours.
func (l *Log) leave(ctx context.Context, f *flight) error {
	err := l.finish(ctx, f)
	if err != nil {
		l.giveBack(f)
	}
	return err
}

// giveBack leaves an event to the server, which sends it again after AckWait.
// Without it, signs of life would keep an event that nobody works on for ever.
func (l *Log) giveBack(f *flight) {
	_ = f.message().NakWithDelay(l.opts.AckWait) // one that is not heard comes after AckWait too
	l.flights.remove(f)
}

func errNotOurs(e Event, what string) error {
	return fmt.Errorf("the event %s cannot be %s: it was not delivered by Run", e.GUID, what)
}

// finish takes a delivered event out of the stream and out of flight.
func (l *Log) finish(ctx context.Context, f *flight) error {
	err := f.message().DoubleAck(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
		// The consumer that delivered it may be gone. The stream still is the truth.
		if gone := l.events.DeleteMsg(ctx, f.seq); gone != nil && !errors.Is(gone, jetstream.ErrMsgNotFound) && !isNoMessage(gone) {
			return fmt.Errorf("acknowledge event number %d: %w", f.seq, errors.Join(err, gone))
		}
	}
	l.flights.remove(f)
	return nil
}

// isNoMessage reports whether a deletion failed because there is nothing to delete.
func isNoMessage(err error) bool {
	const codeSequenceNotFound, codeDeleteFailed = 10043, 10057
	var api *jetstream.APIError
	if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) { // nats.go v1.55 gives the server's answer as text alone
		return strings.Contains(err.Error(), "no message found")
	}
	return errors.As(err, &api) && (api.ErrorCode == codeSequenceNotFound || api.ErrorCode == codeDeleteFailed || api.ErrorCode == jetstream.JSErrCodeMessageNotFound)
}
