package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var _ = register("deliveries", deliveriesSuite)

// deliveriesSuite measures the way in: how fast deliveries are taken, whether one
// repository can hold up others, and what many of them take of memory.
func deliveriesSuite(ctx context.Context, b *bench) ([]row, error) {
	var rows []row
	for _, part := range []func(context.Context, *bench) ([]row, error){accepting, lanes, memory} {
		more, err := part(ctx, b)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// accepting measures how deliveries are taken: durably, by the handler that serves
// the webhook, beside the same dispatcher with go-githubapp's queue in memory, beside
// a raw synced publish of JetStream, and beside the disk itself. All take turns, and what
// one left to do is done before the next.
func accepting(ctx context.Context, b *bench) ([]row, error) {
	dir, err := b.diskDir()
	if err != nil {
		return nil, err
	}
	d, err := openDoor(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer d.close(ctx)
	floor, err := openDisk(dir, len(d.bodies[0]))
	if err != nil {
		return nil, err
	}
	defer func() { _ = floor.close() }()
	var ours, inMemory, raw []round
	var synced []round
	var logged []float64
	each := b.pick(250, 100)
	for n := range b.pick(7, 3) {
		b.say("  accepting, round %d", n+1)
		for _, turn := range []struct {
			send func(context.Context, int) error
			to   *[]round
		}{{d.durable, &ours}, {d.inMemory, &inMemory}, {d.publish, &raw}} {
			began := time.Now()
			r, err := volley(ctx, 16, each, turn.send)
			if err != nil {
				return nil, err
			}
			*turn.to = append(*turn.to, r)
			if turn.to != &ours {
				continue
			}
			if err := d.settle(ctx); err != nil {
				return nil, err
			}
			logged = append(logged, float64(len(r.took))/time.Since(began).Seconds())
		}
		r, err := volley(ctx, 1, each, floor.sync)
		if err != nil {
			return nil, err
		}
		synced = append(synced, r)
	}
	slices.Sort(logged)
	accepted, published := rate(ours), rate(raw)
	return []row{
		value("durable accept, 16 callers, 10 KB, signature and sync included", accepted, "/s").atLeast(2000),
		value("durable accept, 16 callers, p99", p99(ours), "ms").atMost(25),
		value("accepted, and in the log to be worked on", logged[len(logged)/2], "/s"),
		value("the same dispatcher with a queue in memory, which a crash empties", rate(inMemory), "/s"),
		value("raw synced JetStream publish, 16 callers", published, "/s"),
		value("durable accept ÷ raw publish", accepted/published, "").atLeast(0.5),
		value("the disk alone: 10 KB appended and synced, one after the other", rate(synced), "/s"),
		value("the disk alone, p99", p99(synced), "ms"),
	}, nil
}

// round is what one volley took.
type round struct {
	perSecond float64
	took      []time.Duration // of each, sorted
}

// volley lets callers send each their share at the same time.
func volley(ctx context.Context, callers, each int, send func(context.Context, int) error) (round, error) {
	took := make([]time.Duration, callers*each)
	errs := make([]error, callers)
	var all sync.WaitGroup
	began := time.Now()
	for c := range callers {
		all.Go(func() {
			for i := range each {
				at := time.Now()
				if err := send(ctx, c); err != nil {
					errs[c] = err
					return
				}
				took[c*each+i] = time.Since(at)
			}
		})
	}
	all.Wait()
	whole := time.Since(began)
	slices.Sort(took)
	return round{float64(len(took)) / whole.Seconds(), took}, errors.Join(errs...)
}

// rate is the median of the rounds.
func rate(rounds []round) float64 {
	per := make([]float64, len(rounds))
	for i, r := range rounds {
		per[i] = r.perSecond
	}
	slices.Sort(per)
	return per[len(per)/2]
}

// p99 is the median of the rounds' 99th percentiles, in milliseconds.
func p99(rounds []round) float64 {
	at := make([]float64, len(rounds))
	for i, r := range rounds {
		at[i] = float64(r.took[len(r.took)*99/100]) / float64(time.Millisecond)
	}
	slices.Sort(at)
	return at[len(at)/2]
}
