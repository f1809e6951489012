package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// What was set aside is shown with its name, counted in the metrics, and taken up
// again by that name.
func TestWhatWasSetAsideCanBeReplayed(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	payload := fmt.Sprintf(`{"action":"created","repository":{"id":%d}}`, w.Repo.ID)
	if status, answer := w.Post(servertest.Secret, "issue_comment", []byte(payload)); status != 200 {
		t.Fatalf("answered %d: %s", status, answer)
	}
	w.Until("it is set aside", func() bool { return len(w.Events().Aside) == 1 })
	first := w.Events().Aside[0]
	if got := w.Get("/metrics"); !strings.Contains(got, "\nstagecoach_events_aside 1\n") {
		t.Errorf("the metrics do not count it:\n%s", got)
	}
	code, said := w.RunProcess("events", "--url", "http://"+w.Addr, "--replay", first.GUID)
	if code != 0 || !strings.Contains(said, "set aside") {
		t.Fatalf("exit %d: %s", code, said)
	}
	w.Until("it was tried, and set aside again", func() bool {
		aside := w.Events().Aside
		return len(aside) == 1 && aside[0].At.After(first.At)
	})
	if code, said := w.RunProcess("events", "--url", "http://"+w.Addr, "--replay", "nobody"); code != 1 || !strings.Contains(said, "No delivery of that name") {
		t.Errorf("one that is not there: exit %d: %s", code, said)
	}
}
