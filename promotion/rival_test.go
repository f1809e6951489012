package promotion_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// The names of stores begin with when they were made.
const (
	elder   = "1700000000000-aaaaaaaa"
	ours    = "1750000000000-bbbbbbbb"
	younger = "1790000000000-cccccccc"
)

// stored is a world whose state stands in the store called ours, an hour after that
// was last found empty.
func stored() *pt.World {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	w.State.Local.Writer, w.State.Local.Rebuilt = ours, w.Now.Add(-time.Hour)
	return w
}

// wrote is what GitHub tells when an app's bot has written the tracking issue.
func wrote(w *pt.World, writer string) promotion.Event {
	return promotion.Event{Repo: pt.Repo, At: w.Now.Truncate(time.Second), Body: promotion.LedgerTouched{Number: 1, Action: "edited", By: "stagecoach[bot]", Writer: writer}}
}

func TestOurOwnWriteChangesNothing(t *testing.T) {
	w := stored()
	before := w.State
	w.Take(wrote(w, ours))
	if !reflect.DeepEqual(before, w.State) {
		t.Errorf("the state changed: %+v", w.State.Local)
	}
}

// Two servers with separate stores work on one repository: the younger one stops
// when it hears of the other, and goes on when it has not heard of it for a while.
func TestTheYoungerOfTwoServersStops(t *testing.T) {
	w := stored()
	w.Take(wrote(w, elder))
	if len(w.State.Problems) != 1 || !strings.Contains(w.State.Problems[0].Text, "This one stops") {
		t.Errorf("it says %+v", w.State.Problems)
	}
	w.Take(pt.Push(pt.SHA("c1")))
	w.Sleep(10 * time.Minute)
	w.Take(wrote(w, elder))
	w.Sleep(14 * time.Minute)
	if len(w.Ran) != 0 {
		t.Fatalf("it works beside the other: %v", w.Ran)
	}
	look := false
	w.Hold = func(e promotion.Effect) bool { look = look || e.Kind == promotion.KindStep && e.Look; return false }
	w.Sleep(time.Minute)
	if got := w.Last("dev"); got == nil || got.Phase != promotion.PhaseSucceeded || !look {
		t.Errorf("afterwards dev is %+v; what the other did was looked for: %t", got, look)
	}
	if len(w.State.Problems) != 0 || !w.State.Local.Suspect {
		t.Errorf("problems %+v, suspect %t: the issue is to be written anew", w.State.Problems, w.State.Local.Suspect)
	}
}

func TestTheOlderOfTwoServersGoesOnAndSaysSo(t *testing.T) {
	w := stored()
	w.Take(wrote(w, younger), pt.Push(pt.SHA("c1")))
	says(t, w, "dev", promotion.PhaseSucceeded, "Landed")
	w = stored()
	w.Take(wrote(w, younger))
	if len(w.State.Problems) != 1 || !strings.Contains(w.State.Problems[0].Text, "Stop one of them") || !w.State.Local.Suspect {
		t.Errorf("it says %+v; it writes the issue anew: %t", w.State.Problems, w.State.Local.Suspect)
	}
}

// A server that lost its disk hears late of what it wrote itself before.
func TestAnEarlierLifeIsNoRival(t *testing.T) {
	w := stored()
	w.State.Local.Rebuilt = w.Now.Add(-30 * time.Second)
	w.Take(wrote(w, elder))
	if w.State.Local.Rival != nil || len(w.State.Problems) != 0 {
		t.Errorf("rival %+v, problems %+v", w.State.Local.Rival, w.State.Problems)
	}
}
