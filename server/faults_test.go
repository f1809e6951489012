package server_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// mishaps are what can happen to a request.
var mishaps = map[string]ghsim.Fault{
	"500":                   {When: ghsim.Before, Status: http.StatusInternalServerError},
	"502 after the effect":  {When: ghsim.After, Status: http.StatusBadGateway, Body: "<html>Bad Gateway</html>"},
	"cut before the effect": {When: ghsim.Before, Cut: true},
	"cut after the effect":  {When: ghsim.After, Cut: true},
	"secondary rate limit": {When: ghsim.Before, Status: http.StatusForbidden, Header: http.Header{"Retry-After": {"1"}},
		Body: `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`},
	"429": {When: ghsim.Before, Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}, Body: `{"message":"Too many requests"}`},
}

// TestEveryRouteFailsOnce lets each route of the story fail, once, in each way.
func TestEveryRouteFailsOnce(t *testing.T) {
	routes := storyRoutes(t)
	var names []string
	type point struct{ route, mishap string }
	var all []point
	for _, route := range routes {
		for mishap := range mishaps {
			all = append(all, point{route, mishap})
		}
	}
	slices.SortFunc(all, func(a, b point) int { return strings.Compare(a.route+a.mishap, b.route+b.mishap) })
	for _, p := range all {
		names = append(names, p.mishap+" on "+strings.NewReplacer("/", " ", "{", "", "}", "").Replace(p.route))
	}
	var struck atomic.Int64
	points(t, names, 40, func(t *testing.T, i int) {
		f := mishaps[all[i].mishap]
		f.Route = all[i].route
		struck.Add(storyWith(t, f))
	})
	t.Logf("%d requests failed, on %d routes", struck.Load(), len(routes))
	if struck.Load() == 0 {
		t.Error("nothing failed: this test shows nothing")
	}
}

// storyRoutes are those that the app uses in a story that nobody disturbs.
func storyRoutes(t *testing.T) []string {
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.Story()
	check(t, w)
	var out []string
	for _, r := range w.Sim.Requests() {
		if r.Installation != 0 || strings.HasPrefix(r.Route, "GET /app") || strings.HasSuffix(r.Route, "/access_tokens") {
			out = append(out, r.Route)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// storyWith plays the story with a fault, which strikes the app alone, and
// returns how often it did.
func storyWith(t *testing.T, f ghsim.Fault) (struck int64) {
	w := servertest.New(t, servertest.Files())
	w.Patience = 3 * time.Minute
	var n atomic.Int64
	f.Match = func(r *http.Request) bool { return r.RemoteAddr != "" && n.CompareAndSwap(0, 1) }
	w.Sim.Fault(f)
	w.StartProcess()
	w.InstallApp()
	w.Story()
	check(t, w)
	return n.Load()
}

// TestDeliveriesInDisorder plays the story with webhooks that come twice, in
// another order, or are lost and come late.
func TestDeliveriesInDisorder(t *testing.T) {
	for _, c := range []struct {
		name    string
		disturb func(w *servertest.World) (stop func())
	}{
		{"each comes twice", twice},
		{"each is lost at first", lostAtFirst},
		{"reordered", reordered},
		{"merges are never told", func(w *servertest.World) func() {
			return w.Sim.LoseWebhooks(func(d ghsim.Delivery) bool { return d.Event == "pull_request" && d.Action == "closed" })
		}},
		{"pushes of our own are never told", func(w *servertest.World) func() {
			return w.Sim.LoseWebhooks(func(d ghsim.Delivery) bool {
				return d.Event == "push" && strings.Contains(string(d.Payload), "stagecoach/default")
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := servertest.New(t, servertest.Files())
			w.StartServer()
			defer c.disturb(w)()
			w.InstallApp()
			w.Story()
			check(t, w)
		})
	}
}

// often calls f again and again until the returned function is called.
func often(f func()) (stop func()) {
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			case <-time.After(15 * time.Millisecond):
				f()
			}
		}
	}()
	return func() { close(end); <-done }
}

// twice has every delivery sent again once it has got through.
func twice(w *servertest.World) (stop func()) {
	again := map[string]bool{}
	return often(func() {
		for _, d := range w.Sim.Deliveries() {
			if d.OK() && !again[d.GUID] {
				again[d.GUID] = true
				_ = w.Sim.Redeliver(d.GUID) // it has ended, so it can be sent again
			}
		}
	})
}

// lostAtFirst lets the first try of every delivery fail.
func lostAtFirst(w *servertest.World) (stop func()) {
	drop := w.Sim.DropWebhooks(func(d ghsim.Delivery) bool { return !d.Redelivery })
	resend := often(w.RedeliverFailed)
	return func() { drop(); resend() }
}

// reordered lets every third delivery fail and come again behind later ones.
func reordered(w *servertest.World) (stop func()) {
	var n atomic.Int64
	drop := w.Sim.DropWebhooks(func(d ghsim.Delivery) bool { return !d.Redelivery && n.Add(1)%3 == 0 })
	var calls int
	resend := often(func() {
		if calls++; calls%10 == 0 {
			w.RedeliverFailed()
		}
	})
	return func() { drop(); resend() }
}

// TestManyKillsInOneStory kills the product again and again.
func TestManyKillsInOneStory(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	w.Patience = 2 * time.Minute
	w.StartProcess()
	var kills []func() bool
	for n := 5; n <= 60; n += 11 {
		kills = append(kills, w.KillAt(servertest.KillSpec{Nth: n, When: ghsim.When(n % 2)}))
	}
	w.KeepUp(servertest.Product, nil, "serve")
	w.InstallApp()
	w.Story()
	check(t, w)
	happened := 0
	for _, k := range kills {
		if k() {
			happened++
		}
	}
	if t.Logf("%d kills in one story", happened); happened < 3 {
		t.Errorf("only %d kills happened", happened)
	}
}
