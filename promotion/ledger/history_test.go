package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// historyOf is the comment of all promotions of a state that have ended.
func historyOf(s *promotion.State, pipeline string) promotion.Task {
	e := promotion.Effect{ID: "history/" + pipeline + "/x", Kind: promotion.KindHistory, Pipeline: pipeline, SentAt: day}
	for _, p := range s.Pipelines[pipeline].Promotions {
		if p.Phase.Terminal() {
			e.Names = append(e.Names, p.Name)
		}
	}
	return promotion.Task{Repo: s.Repo, State: s, Effect: e}
}

func TestHistoryGolden(t *testing.T) {
	s := landedPast()
	asked := landedOn(attempt("default", "prod", webFreight(1), day.AddDate(-1, 0, 3), promotion.PhaseSucceeded), 99)
	asked.Reason = "fix for checkout"
	failed := attempt("default", "staging", webFreight(2), day.Add(time.Hour), promotion.PhaseErrored)
	failed.Message = "Errored at step 1 of 5 (yaml-update): found no key `image.tagg`"
	for name, s := range map[string]*promotion.State{"typical": plus(s, asked, failed), "hostile": hostile()} {
		task := historyOf(s, "default")
		text := History(task, testLinks, Marker(task.Effect.ID))
		golden(t, "history-"+name+".md", text)
		harmlessHTML(t, render(t, text))
		lines := 0
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "- ") {
				lines++
			}
		}
		if lines != len(task.Effect.Names) || !strings.HasSuffix(text, Marker(task.Effect.ID)) {
			t.Errorf("%s: %d lines for %d promotions", name, lines, len(task.Effect.Names))
		}
	}
}

func TestAHistoryOfAnySizeIsAComment(t *testing.T) {
	s := base()
	for i := range 400 {
		p := attempt("default", "dev", webFreight(1), day.Add(time.Duration(i)*time.Minute), promotion.PhaseErrored)
		p.Name, p.Message, p.Reason = fmt.Sprint(p.Name, i), strings.Repeat("&", 900), strings.Repeat("<", 900)
		s = plus(s, p)
	}
	task := historyOf(s, "default")
	if text := History(task, testLinks, Marker("x")); len(text) > maxText || !strings.Contains(text, "with more to say than a comment holds") {
		t.Errorf("%d bytes", len(text))
	}
}

// A box can be ticked in an issue alone.
func TestWithoutIssuesThereAreNoBoxes(t *testing.T) {
	s := guarded()
	failed := done(attempt("default", "staging", webFreight(2), day, promotion.PhaseErrored), promotion.StepErrored)
	s = plus(s, failed)
	boxes := strings.Count(Draw(s, testLinks, day), "- [ ] <!-- ")
	s.Repo.NoIssues = true
	if left := strings.Count(Draw(s, testLinks, day), "- [ ] <!-- "); boxes == 0 || left != 0 {
		t.Errorf("%d boxes in an issue, %d without one", boxes, left)
	}
}
