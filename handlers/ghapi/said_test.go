package ghapi_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// Without a ledger the comments tell what people ordered: those with commands that we
// saw, with our verdicts. What was edited since, and what others reacted to, tells nothing.
func TestSaid(t *testing.T) {
	w := newWorld(t)
	number, _ := w.commentBy("octocat")
	comment := func(text string, words ...string) int64 {
		t.Helper()
		id, err := w.As("octocat").Comment(w.gitops, number, text)
		must(t, err)
		for _, word := range words {
			task := w.task(promotion.KindReact)
			task.Effect.Comment, task.Effect.Text = id, word
			w.run(task)
		}
		return id
	}
	comment("Nobody saw this:\n/freeze all")
	comment("No command at all", "eyes", "+1")
	both := comment("/freeze prod --for 2h release\n/block 1a2b3c4d", "eyes", "+1", "rocket")
	owed := comment("/freeze dev", "eyes")
	edited := comment("/freeze staging", "eyes", "+1")
	time.Sleep(1100 * time.Millisecond) // GitHub tells of edits in whole seconds
	must(t, w.As("octocat").EditComment(w.gitops, edited, "/freeze all"))
	got, err := w.Said(t.Context(), w.repo(), number, false, handlers.ParseCommands)
	must(t, err)
	if len(got) != 2 || got[0].Comment != both || got[1].Comment != owed {
		t.Fatalf("said: %+v; want %d and %d", got, both, owed)
	}
	s := got[0]
	if s.By != "octocat" || s.ByID == 0 || s.Number != number || s.PullRequest || s.At.IsZero() || len(s.Commands) != 2 ||
		s.Commands[0].Name != "freeze" || !slices.Equal(s.Commands[1].Args, []string{"1a2b3c4d"}) {
		t.Errorf("it is %+v", s)
	}
	if !slices.Equal(s.Verdicts, []promotion.Verdict{promotion.VerdictDone, promotion.VerdictStarted}) || len(got[1].Verdicts) != 0 {
		t.Errorf("verdicts %v and %v", s.Verdicts, got[1].Verdicts)
	}
	w.costs("0 writes, 1 reads", func() { // where nothing was said: one request
		none, err := w.As("octocat").CreateIssue(w.gitops, "Nothing", "")
		must(t, err)
		_, err = w.Said(t.Context(), w.repo(), none, false, handlers.ParseCommands)
		must(t, err)
	})
}
