package model_test

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion/model"
)

var (
	schedules = flag.Int("schedules", 3000, "how many random schedules to play")
	firstSeed = flag.Uint64("seed", 1, "the seed of the first one")
	approving = flag.Bool("approving", false, "two stages whose pull requests the app merges once people approved, in each schedule")
	lanes     = flag.Int("lanes", 4, "how many are played at once")
)

// TestMain lets garbage wait: the schedules keep little and make much of it, and
// a third of their time went into collecting what a few megabytes hold.
func TestMain(m *testing.M) {
	if !underRace {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(512 << 20) // bytes; beyond them it is collected
	}
	os.Exit(m.Run())
}

// TestSchedules plays random schedules and holds the promises after every step.
// One that fails is shrunk and told. CI plays 100,000:
//
//	go test ./promotion/model -run TestSchedules -schedules 100000 -seed 1
func TestSchedules(t *testing.T) {
	if underRace {
		*schedules = min(*schedules, 300)
	}
	t.Logf("seeds %d to %d", *firstSeed, *firstSeed+uint64(*schedules)-1)
	var failed atomic.Bool
	for lane := range *lanes {
		t.Run(fmt.Sprint("lane ", lane), func(t *testing.T) {
			t.Parallel()
			for i := lane; i < *schedules && !failed.Load(); i += *lanes {
				seed := *firstSeed + uint64(i)
				schedule := model.Drawn(seed)
				if *approving {
					schedule.Stages = []model.Traits{merging[0], {0, 0, 1, 3, 0, 0, 3}}
				}
				if broke := model.Play(schedule, model.Plant{}); broke != "" && !failed.Swap(true) {
					t.Errorf("seed %d: %s\n%s", seed, broke, shortest(schedule, model.Plant{}))
				}
			}
		})
	}
}

// shortest tells the shortest schedule that breaks the same promise.
func shortest(s model.Schedule, plant model.Plant) string {
	promise := promiseOf(model.Play(s, plant))
	short := model.Shrink(s, func(try model.Schedule) bool { return promiseOf(model.Play(try, plant)) == promise })
	return fmt.Sprintf("shrunk to %d stages and %d moves (%x):\n%s", len(short.Stages), len(short.Moves), short.Bytes(), model.Tell(short, plant))
}

func promiseOf(broke string) string {
	promise, _, _ := strings.Cut(broke, ":")
	return promise
}
