package ghsim_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestDeliveriesAreSignedAndNamed(t *testing.T) {
	w := newWorld(t)
	w.take()
	_, err := w.As("octocat").CreateIssue(w.repo, "x", "<!-- \u2028 é -->")
	must(t, err)
	got := w.take()
	if len(got) != 1 {
		t.Fatalf("%d deliveries", len(got))
	}
	h := got[0].header
	for _, signature := range []string{h.Get("X-Hub-Signature-256"), h.Get("X-Hub-Signature")} {
		if err := github.ValidateSignature(signature, got[0].body, []byte(secret)); err != nil {
			t.Errorf("signature %q: %v", signature, err)
		}
	}
	for name, want := range map[string]string{
		"X-GitHub-Event": "issues", "Content-Type": "application/json", "X-GitHub-Hook-Installation-Target-Type": "integration",
		"X-GitHub-Hook-Installation-Target-ID": strconv.FormatInt(w.app.ID, 10), "X-GitHub-Enterprise-Host": strings.TrimPrefix(w.server.URL, "http://"),
	} {
		if h.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, h.Get(name), want)
		}
	}
	if !strings.HasPrefix(h.Get("User-Agent"), "GitHub-Hookshot/") || len(h.Get("X-GitHub-Delivery")) != 36 || h.Get("X-GitHub-Hook-ID") == "" {
		t.Errorf("%v", h)
	}
}

// A failed delivery stays failed until somebody asks for it again; the GUID stays.
func TestFailedDeliveriesAndRedelivery(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.take()
	w.inbox.answerWith(http.StatusServiceUnavailable)
	_, err := w.As("octocat").CreateIssue(w.repo, "x", "")
	must(t, err)
	failed := w.take()
	if len(failed) != 1 {
		t.Fatalf("tried %d times", len(failed))
	}
	w.inbox.answerWith(0)
	_, err = w.As("octocat").Comment(w.repo, 1, "x")
	must(t, err)
	w.take()
	all, _, err := w.jwt.Apps.ListHookDeliveries(ctx, nil)
	must(t, err)
	if len(all) != 3 || all[0].GetEvent() != "issue_comment" || all[0].GetStatus() != "OK" || all[1].GetStatusCode() != 503 || all[1].GetStatus() != "Invalid HTTP Response: 503" {
		t.Fatalf("%+v", all)
	}
	guid := failed[0].header.Get("X-GitHub-Delivery")
	_, _, err = w.jwt.Apps.RedeliverHookDelivery(ctx, all[1].GetID())
	if _, accepted := err.(*github.AcceptedError); !accepted {
		t.Errorf("redelivery: %v", err)
	}
	again := w.take()
	if len(again) != 1 || again[0].header.Get("X-GitHub-Delivery") != guid || string(again[0].body) != string(failed[0].body) {
		t.Fatalf("redelivered %d", len(again))
	}
	one, _, err := w.jwt.Apps.GetHookDelivery(ctx, all[1].GetID())
	must(t, err)
	if one.GetGUID() != guid || one.Request == nil || one.Request.Headers["X-Github-Event"] != "issues" {
		t.Errorf("%+v", one)
	}
	last := w.Deliveries()[len(w.Deliveries())-1]
	if !last.Redelivery || !last.OK() || last.GUID != guid {
		t.Errorf("%+v", last)
	}
	w.clock.pass(4 * 24 * time.Hour)
	if _, _, err := w.jwt.Apps.RedeliverHookDelivery(ctx, all[1].GetID()); status(err) != 422 {
		t.Errorf("after four days: %v", err)
	}
}

func TestDeliveryPages(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	for range 4 {
		_, err := w.As("octocat").CreateIssue(w.repo, "x", "")
		must(t, err)
	}
	w.idle()
	var ids []int64
	opts := &github.ListCursorOptions{PerPage: 2}
	for {
		page, resp, err := w.jwt.Apps.ListHookDeliveries(ctx, opts)
		must(t, err)
		for _, d := range page {
			ids = append(ids, d.GetID())
		}
		if resp.Cursor == "" {
			break
		}
		opts.Cursor = resp.Cursor
	}
	if len(ids) != 5 || !slices.IsSortedFunc(ids, func(a, b int64) int { return int(b - a) }) {
		t.Errorf("%v", ids)
	}
}

func TestDroppedLostAndPausedWebhooks(t *testing.T) {
	w, octocat := newWorld(t), ghsim.Person{}
	octocat = w.As("octocat")
	w.take()
	issue := func() {
		_, err := octocat.CreateIssue(w.repo, "x", "")
		must(t, err)
	}
	isIssue := func(d ghsim.Delivery) bool { return d.Event == "issues" }
	before := len(w.Deliveries())

	restore := w.DropWebhooks(isIssue)
	issue()
	if got := w.events(); got != nil {
		t.Errorf("dropped, but got %v", got)
	}
	dropped := w.Deliveries()[before:]
	if len(dropped) != 1 || dropped[0].OK() || dropped[0].Status != "failed to connect to host" {
		t.Fatalf("%+v", dropped)
	}
	restore()
	must(t, w.Redeliver(dropped[0].GUID))
	if got := w.events(); !slices.Equal(got, []string{"issues.opened"}) {
		t.Errorf("sent again: %v", got)
	}
	if err := w.Redeliver("nothing"); err == nil {
		t.Error("redelivered an unknown GUID")
	}

	restore = w.LoseWebhooks(isIssue)
	issue()
	restore()
	if got := w.events(); got != nil || len(w.Deliveries()) != before+2 {
		t.Errorf("lost, but got %v and %d deliveries", got, len(w.Deliveries()))
	}

	w.PauseWebhooks()
	issue()
	_, err := octocat.Comment(w.repo, 1, "x")
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.WaitIdle(ctx); err == nil {
		t.Error("idle while webhooks are held back")
	}
	w.ResumeWebhooks()
	if got := w.events(); !slices.Equal(got, []string{"issues.opened", "issue_comment.created"}) {
		t.Errorf("after the pause: %v", got)
	}
}

// An App hears only of what it subscribes to and may read, and of nothing while it is suspended.
func TestWhoHearsOfWhat(t *testing.T) {
	w := newWorld(t)
	w.take()
	issue := func() []string {
		_, err := w.As("octocat").CreateIssue(w.repo, "x", "")
		must(t, err)
		return w.events()
	}
	must(t, w.SetInstallationPermissions(w.inst, map[string]string{"contents": "write"}))
	w.take()
	if got := issue(); got != nil {
		t.Errorf("without issues: %v", got)
	}
	must(t, w.SetInstallationPermissions(w.inst, allPermissions()))
	if got := w.events(); !slices.Equal(got, []string{"installation.new_permissions_accepted"}) {
		t.Errorf("accepted: %v", got)
	}
	if got := issue(); !slices.Equal(got, []string{"issues.opened"}) {
		t.Errorf("with issues: %v", got)
	}
	must(t, w.Suspend(w.inst))
	w.take()
	if got := issue(); got != nil {
		t.Errorf("suspended: %v", got)
	}
	must(t, w.Unsuspend(w.inst))
	must(t, w.RemoveFromInstallation(w.inst, w.repo))
	w.take()
	if got := issue(); got != nil {
		t.Errorf("removed: %v", got)
	}
	must(t, w.AddToInstallation(w.inst, w.repo))
	if got := w.events(); !slices.Equal(got, []string{"installation_repositories.added"}) {
		t.Errorf("added: %v", got)
	}
}

// Events of one repository arrive one after the other in the order of their causes.
func TestDeliveriesOfARepositoryAreInOrder(t *testing.T) {
	w := newWorld(t)
	w.take()
	for range 20 {
		_, err := w.As("octocat").CreateIssue(w.repo, "x", "")
		must(t, err)
	}
	for n, r := range w.take() {
		issue := r.payload(t)["issue"].(map[string]any)
		if issue["number"] != float64(n+1) {
			t.Fatalf("delivery %d is of issue %v", n+1, issue["number"])
		}
	}
}

// Close ends a delivery under way, and what waits behind it.
func TestCloseWithASlowReceiver(t *testing.T) {
	w := newWorld(t)
	var arrived atomic.Int32
	release := make(chan struct{})
	reached := make(chan struct{}, 10)
	slow := newServer(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client left
		reached <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer close(release)
	must(t, w.SetWebhook(w.app.ID, slow, secret))
	for range 3 {
		_, err := w.As("octocat").CreateIssue(w.repo, "x", "")
		must(t, err)
	}
	<-reached
	w.Close()
	if n := arrived.Load(); n != 1 {
		t.Errorf("%d deliveries arrived", n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	must(t, w.WaitIdle(ctx))
}

func TestSlowReceiverTimesOut(t *testing.T) {
	w := newWorld(t)
	sim, err := ghsim.New(ghsim.Options{Dir: t.TempDir(), WebhookTimeout: 10 * time.Millisecond})
	must(t, err)
	t.Cleanup(sim.Close)
	slow := newServer(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	key, err := sharedKey()
	must(t, err)
	app, err := sim.RegisterApp(ghsim.App{Slug: "slow", WebhookURL: slow, PrivateKey: key})
	must(t, err)
	_, err = sim.Install(app.ID, "acme")
	must(t, err)
	w.Sim = sim
	w.idle()
	if got := sim.Deliveries(); len(got) != 1 || got[0].Status != "timed out" || got[0].StatusCode != 504 {
		t.Errorf("%+v", got)
	}
}
