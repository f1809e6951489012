package main

import (
	"runtime"
	"slices"
	"time"
)

// inTurns are the times of short calls, in microseconds: of each the best tenth of
// many rounds, in which all take their turns, so that what else the machine does
// meanwhile troubles none more than another.
func inTurns(calls ...func()) []float64 {
	const rounds, each = 200, 10
	times := make([][]time.Duration, len(calls))
	for range rounds {
		for i, call := range calls {
			begin := time.Now()
			for range each {
				call()
			}
			times[i] = append(times[i], time.Since(begin)/each)
		}
	}
	out := make([]float64, len(calls))
	for i, all := range times {
		slices.Sort(all)
		out[i] = float64(all[rounds/10].Nanoseconds()) / 1000
	}
	return out
}

// allocationsOf is how many pieces of memory a call takes, on average.
func allocationsOf(call func()) float64 {
	const runs = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		call()
	}
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / runs)
}
