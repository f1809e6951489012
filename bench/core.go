package main

import (
	"context"
	"fmt"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/promotion/model"
)

var _ = register("core", coreSuite)

// coreSuite measures the decisions of the core, without anything around it: over
// the model of GitHub that its tests play it in.
func coreSuite(ctx context.Context, b *bench) ([]row, error) {
	rows := perEvent(ctx, b)
	more, err := year(ctx, b)
	return append(rows, more...), err
}

// perEvent compares what an event costs in a young repository and in an old one.
func perEvent(ctx context.Context, b *bench) []row {
	const few = 200 // what is remembered of ended promotions, freight and landings is full by then
	many := b.pick(10_000, 1000)
	b.say("  an event after %d and after %d finished promotions", few, many)
	y := model.NewYear(5)
	after := func(finished int) float64 {
		for y.Landed() < finished && ctx.Err() == nil {
			y.Day(100)
		}
		return eventCost(y)
	}
	young, old := after(few), after(many)
	return []row{
		value(fmt.Sprintf("one event, %d finished", few), young, "µs"),
		value(fmt.Sprintf("one event, %d finished", many), old, "µs").atMost(1000),
		value(fmt.Sprintf("an event at %d finished / at %d", many, few), old/young, "").atMost(1.2),
	}
}

// eventCost is the median time of a decision about the push of new freight, which
// starts a promotion, in microseconds.
func eventCost(y *model.Year) float64 {
	in := []promotion.Input{y.Next()}
	var times []time.Duration
	for range 101 {
		begin := time.Now()
		for range 20 {
			promotion.Advance(y.State(), in, y.Now())
		}
		times = append(times, time.Since(begin)/20)
	}
	return ms(median(times)) * 1000
}

// year plays one busy repository: 50 stages, 55 deliveries a day.
func year(ctx context.Context, b *bench) ([]row, error) {
	days := b.pick(365, 14)
	b.say("  %d days of a busy repository", days)
	y := model.NewYear(50)
	largest := 0
	var took time.Duration
	for range days {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		begin := time.Now()
		y.Day(55)
		took += time.Since(begin)
		body, err := ledger.Encode(y.State(), []byte("key"), ledger.Links{}, y.Now())
		if err != nil {
			return nil, fmt.Errorf("draw the ledger: %w", err)
		}
		largest = max(largest, len(body.Text))
	}
	return []row{
		value(fmt.Sprintf("%d days, 50 stages, %d deliveries", days, days*55), took.Seconds(), "s").atMost(60),
		value(fmt.Sprintf("decisions in %d days", days), float64(y.Advances()), ""),
		value(fmt.Sprintf("one decision, %d days", days), took.Seconds()*1e6/float64(y.Advances()), "µs"),
		value(fmt.Sprintf("largest ledger of %d days", days), float64(largest), "bytes").atMost(60_000),
	}, nil
}
