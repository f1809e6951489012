package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// awkward is one of GitHub's awkward sides: what is so from the start, and what happens
// while staging's pull request waits. Either may be nil.
type awkward struct {
	always, meanwhile func(t *testing.T, w *servertest.World)
}

// always is a side that does not change.
func always(set func(w *servertest.World)) awkward {
	return awkward{always: func(_ *testing.T, w *servertest.World) { set(w) }}
}

// meanwhile is something that happens once.
func meanwhile(do func(t *testing.T, w *servertest.World) error) awkward {
	return awkward{meanwhile: func(t *testing.T, w *servertest.World) {
		t.Helper()
		must(t, do(t, w))
	}}
}

// around does something while the pull request is merged by octocat, and takes it back.
func around(do, undo func(w *servertest.World) error) awkward {
	return meanwhile(func(t *testing.T, w *servertest.World) error {
		must(t, do(w))
		w.Settle()
		mergeOpen(t, w)
		w.Settle()
		return undo(w)
	})
}

// without takes a permission away from the installation.
func without(name string) awkward {
	return around(func(w *servertest.World) error {
		less := ghapi.Permissions()
		delete(less, name)
		return w.Sim.SetInstallationPermissions(w.Install, less)
	}, func(w *servertest.World) error {
		return w.Sim.SetInstallationPermissions(w.Install, ghapi.Permissions())
	})
}

// answering has every request of the app answered by a fault for a while.
func answering(f ghsim.Fault) awkward {
	return meanwhile(func(t *testing.T, w *servertest.World) error {
		f.Times, f.Match = -1, func(r *http.Request) bool { return r.RemoteAddr != "" }
		remove := w.Sim.Fault(f)
		mergeOpen(t, w)
		time.Sleep(1500 * time.Millisecond)
		remove()
		return nil
	})
}

// tooLate has GitHub do what some writes ask for, and answer when nobody waits any more.
// Only the server in this process is that impatient.
func tooLate(w *servertest.World) {
	impatient := &http.Transport{ResponseHeaderTimeout: 2 * time.Second}
	w.TB.Cleanup(impatient.CloseIdleConnections)
	w.Transport = impatient
	for _, route := range []string{pushRoute, pullRoute, checkRoute, issueRoute} {
		w.Sim.Fault(ghsim.Fault{Route: route, When: ghsim.After, Slow: 3 * time.Second, Match: func(r *http.Request) bool { return r.RemoteAddr != "" }})
	}
}

// existsUnseen has GitHub open a pull request without an answer, and show it neither to who
// looks for it before asking again, nor to who looks after the answer that it exists.
func existsUnseen(w *servertest.World) {
	w.Sim.Fault(ghsim.Fault{Route: pullRoute, When: ghsim.After, Cut: true})
	w.Sim.Fault(ghsim.Fault{Route: "GET /repos/{owner}/{repo}/pulls", Status: http.StatusOK, Body: "[]", Times: 2, Match: func(r *http.Request) bool { return r.URL.Query().Has("head") }})
}

func anyDelivery(ghsim.Delivery) bool { return true }

// awkwardSides are those that GitHub has, by name. What happens to deliveries is in
// TestDeliveriesInDisorder, what happens to single requests in TestEveryRouteFailsOnce.
var awkwardSides = map[string]awkward{
	"nothing":                           {},
	"lists lag by 2 s":                  always(func(w *servertest.World) { w.Sim.SetListLag(2 * time.Second) }),
	"reads lag by 1 s":                  always(func(w *servertest.World) { w.Sim.SetReadLag(time.Second) }),
	"lists lag by 2 s and reads by 1 s": always(func(w *servertest.World) { w.Sim.SetListLag(2 * time.Second); w.Sim.SetReadLag(time.Second) }),
	"404 for a second after a token":    always(func(w *servertest.World) { w.Sim.SetTokenLag(time.Second) }),
	"mergeable is null at first":        always(func(w *servertest.World) { w.Sim.SetMergeableDelay(time.Second) }),
	"its clock is 5 minutes ahead":      always(func(w *servertest.World) { w.Sim.SetClock(5 * time.Minute) }),
	"its clock is 5 minutes behind":     always(func(w *servertest.World) { w.Sim.SetClock(-5 * time.Minute) }),
	"it has no GraphQL":                 always(func(w *servertest.World) { w.Sim.SetGraphQL(false) }),
	"deliveries come twice and late": always(func(w *servertest.World) {
		w.Sim.DuplicateWebhooks(anyDelivery)
		w.Sim.DelayWebhooks(300*time.Millisecond, anyDelivery)
	}),
	"its clock jumps ahead":                meanwhile(func(_ *testing.T, w *servertest.World) error { w.Sim.SetClock(4 * time.Minute); return nil }),
	"the token is revoked":                 meanwhile(func(_ *testing.T, w *servertest.World) error { w.Sim.RevokeTokens(w.Install); return nil }),
	"its clock jumps past the token's end": meanwhile(func(_ *testing.T, w *servertest.World) error { w.Sim.SetClock(2 * time.Hour); return nil }),
	"answers that come too late":           always(tooLate),
	"500 for a while":                      answering(ghsim.Fault{Status: http.StatusInternalServerError}),
	"502 after the effect for a while":     answering(ghsim.Fault{When: ghsim.After, Status: http.StatusBadGateway}),
	"cut after the effect for a while":     answering(ghsim.Fault{When: ghsim.After, Cut: true}),
	"422: it exists, and no list shows it": always(existsUnseen),
	"renamed":                              meanwhile(func(_ *testing.T, w *servertest.World) error { return rename(w) }),
	"renamed, and nobody tells":            meanwhile(renamedUntold),
	"transferred":                          meanwhile(transferred),
	"archived and brought back":            meanwhile(archivedForAWhile),
	"new events, actions and fields":       meanwhile(newThings),
	"a limit, and its time":                meanwhile(limitedByTime),
	"a limit, and how long": meanwhile(func(_ *testing.T, w *servertest.World) error {
		w.Sim.BlockFor(w.Install, 1500*time.Millisecond)
		return nil
	}),
	"suspended for a while":           around(func(w *servertest.World) error { return w.Sim.Suspend(w.Install) }, func(w *servertest.World) error { return w.Sim.Unsuspend(w.Install) }),
	"taken out for a while":           around(func(w *servertest.World) error { return w.Sim.RemoveFromInstallation(w.Install, w.Repo) }, func(w *servertest.World) error { return w.Sim.AddToInstallation(w.Install, w.Repo) }),
	"uninstalled and installed again": around(func(w *servertest.World) error { return w.Sim.Uninstall(w.Install) }, func(w *servertest.World) error { w.InstallApp(); return nil }),
	"no permission for checks":        without("checks"),
	"no permission for contents":      without("contents"),
	"no permission for issues":        without("issues"),
	"no permission for pull requests": without("pull_requests"),
}

func rename(w *servertest.World) (err error) {
	w.Repo, err = w.Sim.RenameRepo(w.Repo, "deployments")
	return err
}

func renamedUntold(_ *testing.T, w *servertest.World) error {
	defer w.Sim.LoseWebhooks(func(d ghsim.Delivery) bool { return d.Event == "repository" })()
	return rename(w)
}

func transferred(t *testing.T, w *servertest.World) (err error) {
	w.Sim.AddOrg("corp")
	elsewhere, err := w.Sim.CreateRepo("corp", "other", ghsim.RepoOptions{})
	must(t, err)
	_, err = w.Sim.Install(w.App.ID, "corp", elsewhere)
	must(t, err)
	w.Settle()
	w.Repo, err = w.Sim.TransferRepo(w.Repo, "corp")
	return err
}

func archivedForAWhile(_ *testing.T, w *servertest.World) error {
	if err := w.Sim.SetArchived(w.Repo, true); err != nil {
		return err
	}
	w.Settle()
	return w.Sim.SetArchived(w.Repo, false)
}

// newThings are what GitHub may add some day, to what we listen to and beside it.
func newThings(_ *testing.T, w *servertest.World) error {
	for _, event := range append(servertest.Subscribed(), "copilot_review") {
		w.Sim.SendEvent(w.Repo, "octocat", event, "reconsidered", map[string]any{"novelty": map[string]any{"a": []int{1}}})
	}
	return nil
}

func limitedByTime(_ *testing.T, w *servertest.World) error {
	reset := strconv.FormatInt(time.Now().Add(2*time.Second).Unix(), 10)
	w.Sim.Fault(ghsim.Fault{Status: http.StatusForbidden, Body: `{"message":"API rate limit exceeded for installation ID 1."}`,
		Header: http.Header{"X-Ratelimit-Limit": {"5000"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {reset}}, Match: func(r *http.Request) bool { return r.RemoteAddr != "" }})
	return nil
}

// hardships are what happens to the server meanwhile. Each plays the story to its end.
var hardships = map[string]func(t *testing.T, w *servertest.World){
	"undisturbed": func(_ *testing.T, w *servertest.World) {
		w.SweepEvery = 400 * time.Millisecond
		w.StartServer()
		w.InstallApp()
		w.Story()
	},
	"killed after staging's push":  killedOnce(servertest.KillSpec{Nth: 2, Route: pushRoute, When: ghsim.After}, false),
	"killed after a pull request":  killedOnce(servertest.KillSpec{Nth: 1, Route: pullRoute, When: ghsim.After}, false),
	"killed after a check run":     killedOnce(servertest.KillSpec{Nth: 2, Route: checkRoute, When: ghsim.After}, false),
	"killed after the first issue": killedOnce(servertest.KillSpec{Nth: 1, Route: issueRoute, When: ghsim.After}, false),
	"killed after an answer":       killedOnce(servertest.KillSpec{Nth: 1, Route: commentRoute, When: ghsim.After}, false),
	"disk lost after staging":      killedOnce(servertest.KillSpec{Nth: 1, Route: deleteRoute, When: ghsim.After}, true),
	"disk lost after a command":    killedOnce(servertest.KillSpec{Nth: 2, Route: recordRoute, When: ghsim.After}, true),
}

func killedOnce(spec servertest.KillSpec, loseDisk bool) func(t *testing.T, w *servertest.World) {
	return func(t *testing.T, w *servertest.World) {
		w.StartProcess()
		happened := w.KillAt(spec)
		before := func() {}
		if loseDisk {
			before = func() { forget(t, w) }
		}
		w.KeepUp(servertest.Product, before, "serve")
		w.InstallApp()
		w.Story()
		if !happened() {
			t.Errorf("it was not killed at %+v", spec)
		}
	}
}

// TestAwkwardSides plays the story with each of GitHub's awkward sides and each hardship
// of the server: it ends as one that nobody disturbs does. -kill-stride 1 tries them all;
// without it some sides are tried, and no hardships.
func TestAwkwardSides(t *testing.T) {
	var names []string
	var cells [][2]string
	for _, side := range slices.Sorted(maps.Keys(awkwardSides)) {
		for _, hardship := range slices.Sorted(maps.Keys(hardships)) {
			if *stride == 0 && hardship != "undisturbed" {
				continue
			}
			cells = append(cells, [2]string{side, hardship})
			names = append(names, fmt.Sprintf("%s × %s", side, hardship))
		}
	}
	points(t, names, 12, func(t *testing.T, i int) {
		w := servertest.New(t, servertest.Files())
		w.Patience = 3 * time.Minute
		side := awkwardSides[cells[i][0]]
		if side.always != nil {
			side.always(t, w)
		}
		if side.meanwhile != nil {
			w.Meanwhile = func() { side.meanwhile(t, w) }
		}
		hardships[cells[i][1]](t, w)
		check(t, w)
	})
}
