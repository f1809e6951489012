package promotion_test

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// Whoever touches the tracking issue is named in it until the next landing, and
// what is promoted stays as it is (promise 16).
func TestWhoTouchedTheTrackingIssueIsSaid(t *testing.T) {
	touch := func(action, by string, box bool, number int) promotion.Event {
		return promotion.Event{Repo: pt.Repo, Body: promotion.LedgerTouched{Number: number, Action: action, By: by, Box: box}}
	}
	for _, c := range []struct {
		what string
		e    promotion.Event
		says string
	}{
		{"an edit", touch("edited", "monalisa", false, 1), "monalisa edited this issue"},
		{"ticked boxes", touch("edited", "monalisa", true, 1), ""},
		{"closed", touch("closed", "mona`lisa", false, 1), "monalisa closed this issue"},
		{"opened again", touch("reopened", "monalisa", false, 1), ""},
		{"deleted", touch("deleted", "monalisa", false, 1), "deleted the tracking issue"},
		{"moved away", touch("transferred", "monalisa", false, 1), "moved the tracking issue"},
		{"a label taken off", touch("unlabeled", "monalisa", false, 1), "took a label off"},
		{"another issue", touch("closed", "monalisa", false, 2), ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
			w.Take(c.e)
			said := ""
			for _, p := range w.State.Problems {
				said += p.Text
			}
			if c.says == "" && said != "" || !strings.Contains(said, c.says) {
				t.Errorf("it says %q, want %q", said, c.says)
			}
			w.Take(pt.Push(pt.SHA("c1")))
			if len(w.State.Problems) != 0 {
				t.Errorf("after the landing: %+v", w.State.Problems)
			}
		})
	}
}
