package ghapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// hooked is a world whose webhooks go to a receiver that takes those that take says.
func hooked(t *testing.T, take func() bool) *world {
	w := newWorld(t)
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		if !take() {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(receiver.Close)
	must(t, w.SetWebhook(w.app.ID, receiver.URL, "s3cret"))
	return w
}

func (w *world) deliver() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	must(w.t, w.WaitIdle(ctx))
}

func TestFailedAttemptsAreFoundAndSentAgain(t *testing.T) {
	up := false
	w := hooked(t, func() bool { return up })
	must(t, w.Suspend(w.inst))
	must(t, w.Unsuspend(w.inst))
	w.deliver()
	up = true
	must(t, w.Suspend(w.inst))
	w.deliver()

	long := w.now.Add(-time.Hour)
	got, err := w.FailedAttempts(t.Context(), long)
	must(t, err)
	all := w.Deliveries()
	failed := all[len(all)-3 : len(all)-1]
	if len(got) != 2 || got[0].ID != failed[1].ID || got[1].ID != failed[0].ID || got[0].GUID != failed[1].GUID || got[0].Installation != w.inst || got[0].At.IsZero() {
		t.Fatalf("got %+v, want the newest first of %+v", got, failed)
	}
	if none, err := w.FailedAttempts(t.Context(), time.Now().Add(time.Minute)); err != nil || len(none) != 0 {
		t.Errorf("since later: %v, %v", none, err)
	}
	must(t, w.API.Redeliver(t.Context(), got[1].ID))
	w.deliver()
	all = w.Deliveries()
	if last := all[len(all)-1]; last.GUID != got[1].GUID || !last.Redelivery || !last.OK() {
		t.Errorf("what came last is %+v", last)
	}
	if err := w.API.Redeliver(t.Context(), 1); !errors.Is(err, ghapi.ErrNotRedeliverable) {
		t.Errorf("an attempt that GitHub does not know: %v", err)
	}
}

// One request when less than a hundred failed, more only when more did; and none of them is counted.
func TestTheListIsReadInPages(t *testing.T) {
	w := hooked(t, func() bool { return false })
	for range 60 {
		must(t, w.Suspend(w.inst))
		must(t, w.Unsuspend(w.inst))
	}
	w.deliver()
	for since, want := range map[time.Time]int{w.now.Add(-time.Hour): 2, time.Now().Add(time.Minute): 1} {
		mark := len(w.Requests())
		got, err := w.FailedAttempts(t.Context(), since)
		must(t, err)
		seen := map[int64]bool{}
		for _, a := range got {
			seen[a.ID] = true
		}
		if n := len(w.Requests()) - mark; n != want || len(seen) != len(got) || want == 2 && len(got) < 120 {
			t.Errorf("%d requests for %d attempts, %d of them different", n, len(got), len(seen))
		}
		for _, r := range w.Requests()[mark:] {
			if r.Counted {
				t.Errorf("%s %s is counted", r.Method, r.Path)
			}
		}
	}
}

// Who does not know the filter lists all.
func TestAListWithoutAFilter(t *testing.T) {
	w := newWorld(t)
	w.through(func(r *http.Request) *http.Response {
		if !strings.HasSuffix(r.URL.Path, "/hook/deliveries") {
			return nil
		}
		at := w.now.UTC().Format(time.RFC3339)
		return respond(200, fmt.Sprintf(`[{"id":2,"guid":"b","delivered_at":%q,"status_code":200},{"id":1,"guid":"a","delivered_at":%q,"status_code":0}]`, at, at))
	})
	got, err := w.FailedAttempts(t.Context(), w.now.Add(-time.Hour))
	must(t, err)
	if len(got) != 1 || got[0].GUID != "a" {
		t.Errorf("got %+v", got)
	}
}

func TestLimitsOfTheListAreWaits(t *testing.T) {
	w := newWorld(t)
	w.through(func(r *http.Request) *http.Response {
		if strings.Contains(r.URL.Path, "/hook/deliveries") {
			return respond(429, `{"message":"Too many requests"}`, "Retry-After", "7")
		}
		return nil
	})
	_, err := w.FailedAttempts(t.Context(), w.now)
	if wait, told := promotion.WaitOf(err); !told || wait < 7*time.Second || wait > 9*time.Second {
		t.Errorf("waits %s: %v", wait, err)
	}
}

func TestInstallationOf(t *testing.T) {
	w := newWorld(t)
	is := func(what string, want int64, suspended bool) {
		t.Helper()
		id, held, err := w.InstallationOf(t.Context(), w.repo())
		must(t, err)
		if id != want || held != suspended {
			t.Errorf("%s: installation %d, suspended %v", what, id, held)
		}
	}
	is("installed", w.inst, false)
	renamed, err := w.RenameRepo(w.gitops, "deployments")
	must(t, err)
	is("renamed", w.inst, false)
	must(t, w.Suspend(w.inst))
	is("suspended", w.inst, true)
	must(t, w.Unsuspend(w.inst))
	must(t, w.RemoveFromInstallation(w.inst, renamed))
	is("taken out", 0, false)
}
