package eventlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"
)

// Log is a durable event log on a JetStream.
type Log struct {
	opts   Options
	js     jetstream.JetStream
	events jetstream.Stream
	aside  jetstream.Stream
	done   jetstream.KeyValue
	log    *zerolog.Logger

	partitions []*partition
	flights    flights
	room       room
	crowd      crowd
	running    atomic.Bool

	stop  context.CancelFunc // of the heartbeats
	beats sync.WaitGroup
	close sync.Once
}

// Open makes the log if it is new, and opens it. Nothing is delivered before Run.
func Open(ctx context.Context, js jetstream.JetStream, opts Options) (*Log, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Log{opts: opts, js: js, log: zerolog.Ctx(ctx)}
	l.flights.init()
	if err := l.openStreams(ctx); err != nil {
		return nil, err
	}
	for n := range l.opts.Partitions {
		l.partitions = append(l.partitions, newPartition(l, n))
	}
	if err := l.makeConsumers(ctx); err != nil {
		return nil, err
	}
	if err := l.openCrowd(ctx); err != nil {
		return nil, err
	}
	beat, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	l.beats.Go(func() { l.heartbeat(beat) })
	l.beats.Go(func() { l.watch(beat) })
	l.beats.Go(func() { l.turnovers(beat) })
	return l, nil
}

// Close ends the signs of life for what was delivered and not finished, and hands
// it back, in order, for another process to take at once. It is called after Run
// has returned and the workers have stopped. Further calls do nothing.
func (l *Log) Close(ctx context.Context) {
	l.close.Do(func() {
		l.closeCrowd(ctx)
		l.stop()
		l.beats.Wait()
		if l.opts.Alone {
			return // the next process takes all of it anyway
		}
		for _, f := range l.flights.all() {
			_ = f.message().Nak()
		}
		for _, p := range l.partitions {
			p.unpin(ctx)
		}
	})
}

func (l *Log) openStreams(ctx context.Context) error {
	if err := l.checkPartitions(ctx); err != nil {
		return err
	}
	var err error
	l.events, err = l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        eventStream,
		Description: "Events, timers and retries of Stagecoach",
		Subjects:    []string{eventRoot + ">", timerRoot + "*", retryRoot + "*", bodyRoot + ">", fillRoot + "events"},
		Retention:   jetstream.WorkQueuePolicy,
		Storage:     jetstream.FileStorage,
		Replicas:    l.opts.Replicas,
		AllowDirect: true, AllowMsgTTL: true, AllowMsgSchedules: true, AllowRollup: true,
		// The window of message IDs, which we do not use: see doc.go.
		Duplicates: time.Second,
		Metadata:   map[string]string{"partitions": strconv.Itoa(l.opts.Partitions)},
	})
	if err != nil {
		return fmt.Errorf("open the event log: %w", err)
	}
	l.aside, err = l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        asideStream,
		Description: "Events of Stagecoach that were set aside",
		Subjects:    []string{asideRoot + "*", fillRoot + "aside"},
		Storage:     jetstream.FileStorage,
		Replicas:    l.opts.Replicas,
		MaxAge:      l.opts.AsideFor, MaxMsgsPerSubject: 1,
		AllowDirect: true,
		Duplicates:  time.Second,
	})
	if err != nil {
		return fmt.Errorf("open the log of events set aside: %w", err)
	}
	l.done, err = l.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket:      doneBucket,
		Description: "GUIDs of the events that are done",
		Replicas:    l.opts.Replicas,
		TTL:         l.opts.DoneFor,
	})
	if err != nil {
		return fmt.Errorf("open the memory of done events: %w", err)
	}
	return nil
}

// checkPartitions finds out how many partitions a log has, and refuses to open it with
// another number.
func (l *Log) checkPartitions(ctx context.Context) error {
	s, err := l.js.Stream(ctx, eventStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		l.opts.Partitions = cmp.Or(l.opts.Partitions, defaultPartitions)
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for the event log: %w", err)
	}
	text := s.CachedInfo().Config.Metadata["partitions"]
	made, err := strconv.Atoi(text)
	if err != nil || made < 1 {
		return fmt.Errorf("the event log says that it was made with %q partitions, which is no number of them", text)
	}
	if want := cmp.Or(l.opts.Partitions, made); want != made {
		return fmt.Errorf("the event log was made with %d partitions and is opened with %d: the number is fixed, since events would be lost from sight", made, want)
	}
	l.opts.Partitions = made
	return nil
}

// keepTrying runs f until it works or ctx ends: what cannot be asked now is not
// known, and what is not known is not decided. It reports whether it worked.
func (l *Log) keepTrying(ctx context.Context, what string, f func() error) bool {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := f()
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		l.log.Warn().Err(err).Dur("wait", wait).Msgf("The event log could not %s; it tries again", what)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(wait):
		}
	}
}
