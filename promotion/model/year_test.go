package model_test

import (
	"flag"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/promotion/model"
)

var days = flag.Int("days", 365, "how many days of the busy repository are played; 365 are 20,000 deliveries")

// A year of a busy repository with 50 stages and 55 deliveries a day: its ledger
// stays small, and what ended is forgotten.
func TestABusyRepository(t *testing.T) {
	if underRace {
		t.Skip("one goroutine, and many decisions: played without the race detector")
	}
	y := model.NewYear(50)
	largest := 0
	for day := range *days {
		y.Day(55)
		if day%5 != 4 {
			continue // drawing it costs more than the day
		}
		body, err := ledger.Encode(y.State(), []byte("key"), ledger.Links{}, y.Now())
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, len(body.Text))
	}
	s := y.State()
	if largest > 60_000 || y.Landed() < 50**days {
		t.Errorf("the largest body has %d bytes after %d landings, want at most 60,000 and %d landings", largest, y.Landed(), 50**days)
	}
	ps := s.Pipelines["default"]
	if len(ps.Promotions) > 10+50 || len(ps.Freight) > 400 || len(s.Comments) > 200 {
		t.Errorf("%d promotions, %d pieces of freight and %d comments are remembered", len(ps.Promotions), len(ps.Freight), len(s.Comments))
	}
	t.Logf("%d days: %d landings, %d decisions, largest body %d bytes", *days, y.Landed(), y.Advances(), largest)
}
