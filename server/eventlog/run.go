package eventlog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Run delivers events until ctx ends, and returns when no more can come. deliver is
// called for several lanes at once, but in order for each lane; it must hand the
// event over quickly, and may not call Run or Close. Each event is to be ended by
// Done, Retry or SetAside, at any time before Close, also after Run has returned.
// Only one Run of a log can be under way.
func (l *Log) Run(ctx context.Context, deliver func(Event)) error {
	if !l.running.CompareAndSwap(false, true) {
		return errors.New("the event log is run already")
	}
	defer l.running.Store(false)
	var all sync.WaitGroup
	for _, p := range l.partitions {
		all.Go(func() { p.run(ctx, deliver) })
	}
	all.Wait()
	return nil
}

// makeConsumers makes or finds the consumer of every partition, several at once
// since each is a synced write.
func (l *Log) makeConsumers(ctx context.Context) error {
	var all sync.WaitGroup
	errs := make([]error, len(l.partitions))
	slots := make(chan struct{}, 8)
	for i, p := range l.partitions {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = p.makeConsumer(ctx)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// openWithin bounds how long it takes to make or find one consumer: at a start, on a disk
// that others keep busy, they all wait for each other.
const openWithin = time.Minute

func (p *partition) makeConsumer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	c, err := p.log.events.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:        p.consumerName(),
		FilterSubject:  p.filter(),
		AckPolicy:      jetstream.AckExplicitPolicy,
		AckWait:        p.log.opts.AckWait,
		MaxDeliver:     -1,
		MaxAckPending:  p.log.opts.MaxInFlight,
		PriorityPolicy: jetstream.PriorityPolicyPinned,
		PriorityGroups: []string{group},
		PinnedTTL:      p.log.opts.pinnedFor(),
	})
	if err != nil {
		return fmt.Errorf("open partition %d of the event log: %w", p.number, err)
	}
	p.consumer = c
	return nil
}

// run pulls events until ctx ends, and starts anew when the server ends it.
func (p *partition) run(ctx context.Context, deliver func(Event)) {
	defer p.shut()
	for ctx.Err() == nil {
		if !p.log.keepTrying(ctx, fmt.Sprintf("open partition %d", p.number), func() error { return p.begin(ctx) }) {
			return
		}
		p.open(ctx, deliver)
		pull, err := p.pull()
		if err != nil {
			p.log.log.Warn().Err(err).Int("partition", p.number).Msg("The event log could not ask for events; it tries again")
			sleep(ctx, time.Second)
			continue
		}
		select {
		case <-ctx.Done():
			pull.Stop()
			<-pull.Closed()
		case <-pull.Closed():
			sleep(ctx, time.Second)
		}
	}
}

func (p *partition) pull() (jetstream.ConsumeContext, error) {
	opts := p.log.opts
	return p.consumer.Consume(p.take,
		jetstream.PullPriorityGroup(group),
		jetstream.PullExpiry(opts.pullExpiry()),
		// The client drops what exceeds its own buffer of 64 MB, so one request asks
		// for at most one of the largest messages more than half of it.
		jetstream.PullMaxMessagesWithBytesLimit(256, 32<<20),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			p.log.log.Debug().Err(err).Int("partition", p.number).Msg("Pulling events was interrupted")
		}),
	)
}

// begin sees that the consumer exists, and when this process is alone, takes back
// what an earlier one had taken and not finished.
func (p *partition) begin(ctx context.Context) error {
	info, err := p.consumer.Info(ctx)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return p.makeConsumer(ctx)
	}
	if err != nil {
		return fmt.Errorf("ask for the state of partition %d: %w", p.number, err)
	}
	if !p.log.opts.Alone || info.NumAckPending == 0 {
		return nil
	}
	if _, err := p.log.js.ResetConsumer(ctx, eventStream, p.consumerName()); err != nil {
		return fmt.Errorf("take back the unfinished events of partition %d: %w", p.number, err)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
