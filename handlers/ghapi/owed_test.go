package ghapi_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// Of comments with a command those are owed that we saw, did not answer, do not know,
// and that say what their author said.
func TestOwed(t *testing.T) {
	w := newWorld(t)
	number, _ := w.commentBy("octocat")
	react := func(comment int64, words ...string) {
		t.Helper()
		for _, word := range words {
			task := w.task(promotion.KindReact)
			task.Effect.Comment, task.Effect.Text = comment, word
			w.run(task)
		}
	}
	comment := func(text string) int64 {
		t.Helper()
		id, err := w.As("octocat").Comment(w.gitops, number, text)
		must(t, err)
		return id
	}
	unseen, answered, known, owed := comment("/promote dev"), comment("/promote dev"), comment("/promote dev"), comment("Ship it.\n/promote prod")
	react(answered, "eyes", "+1")
	react(known, "eyes")
	react(owed, "eyes")
	state := &promotion.State{Issue: number, Comments: []*promotion.CommentState{{Comment: known}}}
	got, err := w.Owed(t.Context(), w.repo(), state, w.now.Add(-time.Hour))
	must(t, err)
	if len(got) != 1 || got[0].Comment != owed {
		t.Fatalf("owed: %+v; unseen is %d, answered %d, known %d, owed %d", got, unseen, answered, known, owed)
	}
	events, err := handlers.Translator{AppID: w.app.ID, BotLogin: "stagecoach[bot]"}.Translate("issue_comment", "guid", got[0].Payload)
	must(t, err)
	said, ok := events[0].Body.(promotion.Commented)
	if !ok || said.Comment != owed || said.Number != number || said.By != "octocat" || said.ByID == 0 || said.PullRequest || len(said.Commands) != 1 ||
		said.Commands[0].Name != "promote" || events[0].Repo.ID != w.gitops.ID || events[0].Repo.Installation != w.inst {
		t.Errorf("it tells of %+v", events)
	}
	if late, err := w.Owed(t.Context(), w.repo(), state, time.Now().Add(time.Hour)); err != nil || len(late) != 0 {
		t.Errorf("older than asked for: %+v, %v", late, err)
	}
	w.costs("0 writes, 1 reads", func() { // nothing may be owed: one request
		none := &promotion.State{Issue: number, Comments: []*promotion.CommentState{{Comment: known}, {Comment: owed}, {Comment: answered}}}
		_, err := w.Owed(t.Context(), w.repo(), none, w.now.Add(-2*time.Hour))
		must(t, err)
	})
}
