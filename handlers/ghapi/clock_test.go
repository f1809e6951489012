package ghapi_test

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// apart is a world whose GitHub has another clock, and an API that has none of its own.
func apart(t *testing.T, ahead time.Duration) *world {
	t.Helper()
	w := newWorld(t)
	w.SetClock(ahead)
	w.opts.Now = nil
	w.API = w.newAPI()
	return w
}

// Clocks that are apart are noticed by GitHub's first answer; what the App signs is then
// signed by GitHub's, and times are GitHub's.
func TestClocksThatAreApart(t *testing.T) {
	for _, ahead := range []time.Duration{-3 * time.Hour, -5 * time.Minute, -50 * time.Second, 0, 3 * time.Second, 50 * time.Second, 5 * time.Minute, 3 * time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			w := apart(t, ahead)
			w.commentBy("octocat")
			_, err := w.App(t.Context())
			must(t, err)
			must(t, w.comment())
			_, err = w.Installations(t.Context())
			must(t, err)
			want := ahead
			if ahead.Abs() < 15*time.Second {
				want = 0
			}
			if off := (w.Ahead() - want).Abs(); off > 2*time.Second {
				t.Errorf("taken for %s ahead", w.Ahead())
			}
			if off := w.API.Now().Sub(time.Now().Add(want)).Abs(); off > 3*time.Second {
				t.Errorf("its time is %s off", off)
			}
		})
	}
}

// The clock may be set while the server runs, on either side.
func TestAClockThatJumps(t *testing.T) {
	w := apart(t, 0)
	w.commentBy("octocat")
	must(t, w.comment())
	for _, ahead := range []time.Duration{2 * time.Hour, 0, -10 * time.Minute, 0} {
		w.SetClock(ahead)
		must(t, w.comment())
		if off := (w.Ahead() - ahead).Abs(); off > 2*time.Second {
			t.Errorf("%s ahead is taken for %s", ahead, w.Ahead())
		}
	}
}

// A limit that names a time names it by GitHub's clock.
func TestALimitEndsByGitHubsClock(t *testing.T) {
	for _, ahead := range []time.Duration{-10 * time.Minute, 10 * time.Minute} {
		w := apart(t, ahead)
		w.commentBy("octocat")
		must(t, w.comment())
		reset := time.Now().Add(ahead + time.Minute).Unix()
		w.Fault(ghsim.Fault{Route: "POST */comments", Status: http.StatusForbidden, Body: `{"message":"API rate limit exceeded"}`, Header: http.Header{
			"X-Ratelimit-Limit": {"5000"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {strconv.FormatInt(reset, 10)},
		}})
		wait, told := promotion.WaitOf(w.comment())
		if !told || wait < 55*time.Second || wait > 65*time.Second {
			t.Errorf("GitHub's clock is %s ahead: it waits for %s", ahead, wait)
		}
	}
}

// A date that something between us and GitHub kept tells nothing, nor does one that is none.
func TestDatesThatTellNothing(t *testing.T) {
	for name, header := range map[string]http.Header{
		"kept":  {"Date": {time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)}, "Age": {"3600"}},
		"wrong": {"Date": {"yesterday"}},
	} {
		w := apart(t, 0)
		w.Fault(ghsim.Fault{Route: "GET /app", Status: http.StatusBadGateway, Header: header})
		if _, err := w.App(t.Context()); err == nil {
			t.Fatal(errors.New("the answer was not used"))
		}
		if w.Ahead() != 0 {
			t.Errorf("%s: taken for %s ahead", name, w.Ahead())
		}
	}
}
