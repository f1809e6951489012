package ghapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// asked counts the requests on a route since a mark.
func (w *world) asked(mark ghsim.Mark, route string) (n int) {
	for _, r := range w.Requests()[mark:] {
		if strings.HasSuffix(r.Route, route) {
			n++
		}
	}
	return n
}

// A token that GitHub takes no more is replaced at once, and nobody is told of it.
func TestATokenThatWasRevokedIsReplaced(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	must(t, w.comment())
	before, err := w.Token(t.Context(), w.inst)
	must(t, err)
	w.RevokeTokens(w.inst)
	mark := w.Mark()
	must(t, w.comment())
	if n := w.asked(mark, "/access_tokens"); n != 1 {
		t.Errorf("%d tokens were asked for, want 1", n)
	}
	now, err := w.Token(t.Context(), w.inst)
	must(t, err)
	if now == before {
		t.Error("git still gets the token that was revoked")
	}
}

// What git is told of a token counts too.
func TestATokenThatGitWasRefusedWithIsReplaced(t *testing.T) {
	w := newWorld(t)
	before, err := w.Token(t.Context(), w.inst)
	must(t, err)
	w.Refused("another")
	if same, err := w.Token(t.Context(), w.inst); err != nil || same != before {
		t.Errorf("it was replaced for another's sake: %v", err)
	}
	w.Refused(before)
	now, err := w.Token(t.Context(), w.inst)
	must(t, err)
	if now == before {
		t.Error("it was not replaced")
	}
	w.Refused(now)
	if same, err := w.Token(t.Context(), w.inst); err != nil || same != now {
		t.Errorf("it is replaced again and again: %v", err)
	}
}

// A refusal that no token heals is an error, after one more token.
func TestARefusalOfEveryToken(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	mark := w.Mark()
	w.Fault(ghsim.Fault{Route: "POST */comments", Status: http.StatusUnauthorized, Times: -1})
	if err := w.comment(); err == nil {
		t.Error("it succeeded")
	}
	_ = w.comment()
	if n := w.asked(mark, "/access_tokens"); n != 2 {
		t.Errorf("%d tokens were asked for, want 2", n)
	}
}

// The parts of GitHub may not know a token that was made a moment ago: they answer 404,
// which says nothing of what was asked for.
func TestAnswersToANewTokenAreAskedForAgain(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	w.SetTokenLag(1500 * time.Millisecond)
	var slept time.Duration
	w.SetSleep(func(_ context.Context, d time.Duration) error {
		slept += d
		time.Sleep(d)
		return nil
	})
	must(t, w.comment())
	if slept < time.Second || slept > 3*time.Second {
		t.Errorf("it waited for %s", slept)
	}
}

// Once a token was good for something, 404 means what it says.
func TestAnswersToAKnownTokenAreBelieved(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	must(t, w.comment())
	mark := w.Mark()
	w.Fault(ghsim.Fault{Route: "POST */comments", Status: http.StatusNotFound, Times: -1})
	if err := w.comment(); err == nil {
		t.Error("it succeeded")
	}
	if n := w.asked(mark, "/comments"); n != 1 || len(w.waits()) != 0 {
		t.Errorf("it was asked %d times", n)
	}
}
