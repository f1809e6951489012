package main

import (
	"context"
	"slices"
	"time"
)

// contest runs each of ways once per round, turn by turn, and gives the median
// time of each in milliseconds. A way gets the round's number, and returns what
// counts; zero: all of its time.
func contest(ctx context.Context, rounds int, ways ...func(round int) (time.Duration, error)) ([]float64, error) {
	times := make([][]time.Duration, len(ways))
	for round := range rounds {
		for i, way := range ways {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			begin := time.Now()
			counts, err := way(round)
			if err != nil {
				return nil, err
			}
			if counts == 0 {
				counts = time.Since(begin)
			}
			times[i] = append(times[i], counts)
		}
	}
	out := make([]float64, len(ways))
	for i := range ways {
		out[i] = ms(median(times[i]))
	}
	return out, nil
}

func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
