package window_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion/window"
)

// One judgement of windows as people write them, and the dearest that few words
// can ask for: windows that take turns, so that nothing changes for two years.
func BenchmarkJudge(b *testing.B) {
	for _, bench := range []struct {
		name    string
		windows []window.Window
	}{
		{"office", []window.Window{allow("Mon-Fri 09:00-17:00", berlin), deny("12-20..01-03", "")}},
		{"turns", []window.Window{allow("00:00-12:00", berlin), allow("12:00-24:00", berlin)}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			now := at(b, "2026-11-30 20:00")
			for b.Loop() {
				now = now.Add(time.Minute)
				if _, err := window.Judge(bench.windows, now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
