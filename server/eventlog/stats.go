package eventlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Stats are counts of a log, over all processes that share it. They may lag behind
// the last writes by moments.
type Stats struct {
	Waiting  int       `json:"waiting"`  // accepted and not yet delivered
	InFlight int       `json:"inFlight"` // delivered and not finished
	Retrying int       `json:"retrying"` // wait for their next try
	Timers   int       `json:"timers"`   // lanes with a wake ahead
	Aside    int       `json:"aside"`
	Bytes    uint64    `json:"bytes"`           // that events, timers and retries take on disk
	Oldest   time.Time `json:"oldest,omitzero"` // when the oldest of Waiting and InFlight was accepted; zero: there is none
}

// Stats asks the server: some 3 requests and one more for every 256 partitions.
func (l *Log) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	if q := l.crowd.queue; q != nil {
		s.Waiting = q.Len()
	}
	consumers := l.events.ListConsumers(ctx)
	for info := range consumers.Info() {
		s.Waiting += int(info.NumPending)
		s.InFlight += info.NumAckPending
	}
	if err := consumers.Err(); err != nil {
		return s, fmt.Errorf("count the events: %w", err)
	}
	for root, count := range map[string]*int{timerRoot: &s.Timers, retryRoot: &s.Retrying} {
		info, err := l.events.Info(ctx, jetstream.WithSubjectFilter(root+"*"))
		if err != nil {
			return s, fmt.Errorf("count timers and retries: %w", err)
		}
		*count, s.Bytes = len(info.State.Subjects), info.State.Bytes
	}
	info, err := l.aside.Info(ctx, jetstream.WithSubjectFilter(asideRoot+"*"))
	if err != nil {
		return s, fmt.Errorf("count the events set aside: %w", err)
	}
	s.Aside = len(info.State.Subjects)
	s.Oldest, err = l.oldest(ctx)
	return s, err
}

func (l *Log) oldest(ctx context.Context) (time.Time, error) {
	msg, err := l.events.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(eventRoot+">"))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("look for the oldest event: %w", err)
	}
	e, err := fromHeader(msg.Header)
	if err != nil {
		return msg.Time, nil
	}
	return e.ReceivedAt, nil
}
