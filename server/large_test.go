package server_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// largest is the size of the deliveries below. GitHub sends 25 MB at most.
var largest = flag.Int("largest", 3, "size of the deliveries of TestTheLargestDelivery, in MiB; GitHub's limit is 25")

// TestTheLargestDelivery brings large deliveries through HTTP, the event log, and the
// lane: one that is worked on, and one that is set aside and replayed. The log is the
// embedded one, or on a NATS server that takes messages of 1 MB.
func TestTheLargestDelivery(t *testing.T) {
	for name, prepare := range map[string]func(w *servertest.World){
		"embedded": func(*servertest.World) {}, "in pieces": (*servertest.World).UseNATS,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := servertest.New(t, servertest.Files())
			prepare(w)
			w.StartServer()
			w.InstallApp()
			w.StoryToStaging()
			w.Settle()
			largePush(t, w)
			largeMistake(t, w)
		})
	}
}

// full is a payload with so much more in it that it has that size.
func full(payload []byte) []byte {
	more := *largest<<20 - len(payload) - len(`"more":"",`)
	return append(fmt.Appendf(nil, `{"more":%q,`, strings.Repeat("x", more)), bytes.TrimPrefix(payload, []byte("{"))...)
}

// largePush delivers a push that is worked on, twice: the second time nothing happens.
func largePush(t *testing.T, w *servertest.World) {
	t.Helper()
	pushes := func(d ghsim.Delivery) bool { return d.Event == "push" }
	restore := w.Sim.DropWebhooks(pushes)
	before := len(w.Sim.Deliveries())
	if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", map[string]string{"app/deploy.yaml": "kind: Deployment\nmetadata: {name: other}\n"}, "Change the app"); err != nil {
		t.Fatal(err)
	}
	w.Until("its push was not delivered", func() bool { return len(w.Sim.Deliveries()) > before })
	restore()
	d := w.Sim.Deliveries()[before]
	payload := full(d.Payload)
	send := func() {
		if status, answer := w.Deliver(d.GUID, servertest.Secret, "push", payload); status != http.StatusOK {
			t.Fatalf("a delivery of %d bytes was answered %d: %s", len(payload), status, answer)
		}
	}
	send()
	w.Until("it was worked on", func() bool { return len(w.Open()) == 1 })
	w.Until("and is done", w.Idle)
	if size := w.Events().Stats.Bytes; size > 1<<20 {
		t.Errorf("%d bytes of deliveries are left", size)
	}
	mark := w.Sim.Mark()
	send()
	w.Until("the second one ended", w.Idle)
	if again := w.Since(mark); len(again) > 0 || len(w.Open()) != 1 {
		t.Errorf("the second one did\n%s", servertest.List(again))
	}
}

// largeMistake delivers what cannot be understood, which is set aside, and replays it.
func largeMistake(t *testing.T, w *servertest.World) {
	t.Helper()
	payload := full(fmt.Appendf(nil, `{"action":"created","repository":{"id":%d}}`, w.Repo.ID))
	if status, answer := w.Deliver("mistake", servertest.Secret, "issue_comment", payload); status != http.StatusOK {
		t.Fatalf("it was answered %d: %s", status, answer)
	}
	w.Until("it is set aside", func() bool { return len(w.Events().Aside) == 1 })
	first := w.Events().Aside[0]
	if first.GUID != "mistake" || first.Size != len(payload) {
		t.Errorf("it is shown as %+v", first)
	}
	if status := w.Replay("mistake"); status/100 != 2 {
		t.Fatalf("the replay was answered %d", status)
	}
	w.Until("it was tried, and set aside again", func() bool {
		aside := w.Events().Aside
		return len(aside) == 1 && aside[0].At.After(first.At)
	})
}
