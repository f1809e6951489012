package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// atProd is a world whose freight is verified in staging, with a server in this
// process that has nothing to do.
func atProd(t *testing.T) *servertest.World {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.StoryToStaging()
	w.Settle()
	return w
}

// TestRequestsOfOnePromotion holds the budget of DESIGN, section 8, for a warm
// promotion by pull request, from the comment to landed.
func TestRequestsOfOnePromotion(t *testing.T) {
	w := atProd(t)
	mark := w.Sim.Mark()
	w.AskForProd()
	if _, err := w.Sim.As("octocat").Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
		t.Fatal(err)
	}
	w.Finished()
	w.Settle()
	all := w.Since(mark)
	holdsAudit(t, all)
	own, rest := servertest.OfCommand(all)
	budget := func(what string, got, most int) {
		t.Logf("%-28s %d of at most %d", what, got, most)
		if got > most {
			t.Errorf("%s: %d, want at most %d", what, got, most)
		}
	}
	of, cmd := ghsim.CountRequests(rest), ghsim.CountRequests(own)
	budget("fetches", of.Fetches, 1)
	budget("pushes", of.Pushes, 1)
	budget("counted writes", of.Writes, 6)
	budget("counted reads", of.Reads, 4)
	budget("the command's writes", cmd.Writes, 2)
	budget("the command's reads", cmd.Reads, 1)
	if t.Failed() || testing.Verbose() {
		t.Logf("in this order:\n%s", servertest.List(all))
	}
}

// TestWaitingCostsNothing wakes a waiting promotion twenty times, by all that
// does not concern it.
func TestWaitingCostsNothing(t *testing.T) {
	w := atProd(t)
	w.AskForProd()
	ci, err := w.Sim.RegisterApp(ghsim.App{Slug: "ci", Owner: "acme", Permissions: map[string]string{"checks": "write", "contents": "read"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Sim.Install(ci.ID, "acme", w.Repo); err != nil {
		t.Fatal(err)
	}
	number := w.Open()[0].Number
	mark, handled := w.Sim.Mark(), len(w.Sim.Deliveries())
	for i := range 4 {
		wakes(t, w, i, number)
	}
	w.Settle()
	if n := len(w.Sim.Deliveries()) - handled; n < 12 {
		t.Errorf("only %d deliveries came: the test does not wake what it should", n)
	}
	if cost := w.Since(mark); len(cost) > 0 {
		t.Errorf("20 wake-ups cost\n%s", servertest.List(cost))
	}
	if len(w.Open()) != 1 {
		t.Errorf("it waits no longer\n%s", w.Sketch())
	}
}

// wakes are five wake-ups: a push to another branch, one to the main branch that
// touches other folders, a comment without a command, a review, and a timer.
func wakes(t *testing.T, w *servertest.World, i, number int) {
	t.Helper()
	octocat := w.Sim.As("octocat")
	text := fmt.Sprintf("note: %d\n", i)
	_, err := octocat.Commit(w.Repo, "topic", map[string]string{"envs/dev/note.yaml": text}, "A note on another branch")
	if err == nil {
		_, err = octocat.Commit(w.Repo, "main", map[string]string{"envs/unrelated/note.yaml": text}, "A note elsewhere")
	}
	if err == nil {
		_, err = octocat.Comment(w.Repo, number, "Looks good, "+text)
	}
	if err != nil {
		t.Fatal(err)
	}
	repo := map[string]any{"id": w.Repo.ID, "name": "gitops", "full_name": "acme/gitops", "default_branch": "main", "private": true}
	other := map[string]any{"id": 7, "login": "octocat", "type": "User"}
	for event, payload := range map[string]map[string]any{
		"pull_request_review": {"action": "submitted", "review": map[string]any{"state": "approved"}},
		"check_run": {"action": "completed", "check_run": map[string]any{
			"id": 1000 + i, "name": "e2e", "head_sha": w.Open()[0].HeadSHA, "conclusion": "success", "app": map[string]any{"id": 9},
		}},
	} {
		payload["repository"], payload["sender"], payload["installation"] = repo, other, map[string]any{"id": w.Install}
		raw, _ := json.Marshal(payload)
		if status, answer := w.Post(servertest.Secret, event, raw); status/100 != 2 {
			t.Fatalf("%s was answered %d: %s", event, status, answer)
		}
	}
	if i != 0 {
		return
	}
	eventType, payload := handlers.Internal(handlers.Wake, promotion.Repo{ID: w.Repo.ID})
	if err := w.Journal.Accept(context.Background(), "timer-"+time.Now().String(), eventType, fmt.Sprintf("r%d", w.Repo.ID), payload); err != nil {
		t.Fatal(err)
	}
}
