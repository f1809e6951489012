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
	rows := append(perEvent(ctx, b), perStages(ctx, b)...)
	more, err := year(ctx, b)
	return append(rows, more...), err
}

// perEvent compares what an event costs in a young repository and in an old one.
func perEvent(ctx context.Context, b *bench) []row {
	few, many := b.pick(1000, 200), b.pick(10_000, 1000) // at 200 finished all memories are full
	b.say("  an event after %d and after %d finished promotions", few, many)
	young, old := model.NewYear(5), model.NewYear(5)
	finish(ctx, young, few)
	finish(ctx, old, many)
	costs := inTurns(push(young), push(old))
	return []row{
		value(fmt.Sprintf("push of new freight, 5 stages, %d finished", few), costs[0], "µs"),
		value(fmt.Sprintf("push of new freight, 5 stages, %d finished", many), costs[1], "µs").atMost(50),
		value(fmt.Sprintf("a push at %d finished / at %d", many, few), costs[1]/costs[0], "").atMost(1.1),
	}
}

func finish(ctx context.Context, y *model.Year, promotions int) {
	for y.Landed() < promotions && ctx.Err() == nil {
		y.Day(100)
	}
}

// perStages compares what an event costs in a small and in a large repository.
func perStages(ctx context.Context, b *bench) []row {
	b.say("  events at 5 and at 50 stages")
	small, large := model.NewYear(5), model.NewYear(50)
	finish(ctx, small, 200)
	finish(ctx, large, 2000)
	costs := inTurns(answer(small), answer(large), unrelated(small), unrelated(large))
	allocs := allocationsOf(answer(large))
	return []row{
		value("answer of a step, 5 stages", costs[0], "µs"),
		value("answer of a step, 50 stages", costs[1], "µs").atMost(50),
		value("answer of a step, 50 stages / 5", costs[1]/costs[0], "").atMost(3),
		value("allocations, answer of a step, 50 stages", allocs, "").atMost(100),
		value("event that concerns nothing, 5 stages", costs[2], "µs"),
		value("event that concerns nothing, 50 stages", costs[3], "µs").atMost(5),
		value("event that concerns nothing, 50 stages / 5", costs[3]/costs[2], "").atMost(3),
	}
}

// push is the decision about the push of new freight, which starts a promotion.
func push(y *model.Year) func() { return deciding(y.State(), y.Next(), y.Now()) }

func answer(y *model.Year) func() {
	s, in := y.Answer()
	return deciding(s, in, y.Now())
}

func unrelated(y *model.Year) func() { return deciding(y.State(), y.Unrelated(), y.Now()) }

func deciding(s *promotion.State, in promotion.Input, now time.Time) func() {
	inputs := []promotion.Input{in}
	return func() { promotion.Advance(s, inputs, now) }
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
		value(fmt.Sprintf("one decision and what is around it, %d days", days), took.Seconds()*1e6/float64(y.Advances()), "µs"),
		value(fmt.Sprintf("largest ledger of %d days", days), float64(largest), "bytes").atMost(60_000),
	}, nil
}
