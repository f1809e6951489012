package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func want[T comparable](t *testing.T, what string, got []T, wanted ...T) {
	t.Helper()
	if !slices.Equal(got, wanted) {
		t.Errorf("%s: %v, want %v", what, got, wanted)
	}
}

// One request a minute, whatever happens; each failure is asked for once.
func TestOneListAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := settled(t)
		f.fails("a", 1)
		f.fails("b", 2)
		f.fails("taken", 3)
		f.known["taken"] = true
		f.run(s, time.Hour-time.Second)
		if n := len(f.lists); n != 60 {
			t.Errorf("%d lists in an hour", n)
		}
		want(t, "sent again", f.resent, "a 0s", "b 0s")
	})
}

func TestAFailureIsFoundWithinAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := settled(t)
		f.attempts = append(f.attempts, ghapi.Attempt{ID: 1, GUID: "a", At: f.start.Add(90 * time.Second), Repository: 1}) // listed from then on
		f.run(s, time.Hour)
		want(t, "sent again", f.resent, "a 2m0s")
	})
}

// What we refuse is not sent every minute for three days.
func TestWhatFailsAgainIsAskedForLessAndLess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := settled(t)
		f.onResend = func(a ghapi.Attempt) { f.fails(a.GUID, a.Repository) }
		f.fails("a", 1)
		f.run(s, 40*time.Minute)
		want(t, "sent again", f.resent, "a 0s", "a 1m0s", "a 2m0s", "a 4m0s", "a 8m0s", "a 16m0s", "a 32m0s")
	})
}

// A process that dies leaves what it did not deal with to the next one.
func TestTakeover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := settled(t)
		f.refuse = func(guid string) error {
			if guid == "b" {
				return errors.New("GitHub does not answer")
			}
			return nil
		}
		f.onResend = func(a ghapi.Attempt) { f.known[a.GUID] = true }
		f.fails("a", 1)
		f.fails("b", 2)
		if !s.turn(t.Context()) {
			t.Fatal("the duty is not ours")
		}
		// It dies. Another asks, and waits until the duty is free.
		f.refuse = nil
		heir := f.sweep("two")
		if heir.turn(t.Context()) {
			t.Error("two sweep at a time")
		}
		f.run(heir, 4*time.Minute)
		want(t, "sent again", f.resent[:2], "a 0s", "b 2m30s")
		if len(f.resent) != 2 {
			t.Errorf("sent again: %v", f.resent)
		}
		// A frozen one comes back: it finds its duty taken.
		before := len(f.lists)
		held, err := s.hold(t.Context(), time.Now().Add(time.Hour))
		if held || err != nil || s.turn(t.Context()) && len(f.lists) > before+1 {
			t.Errorf("the frozen one goes on: %v, %v", held, err)
		}
	})
}

// One that ends gives the duty free at once.
func TestReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, _ := settled(t)
		if heir := f.sweep("two"); !heir.turn(t.Context()) {
			t.Error("the duty was not given free")
		}
	})
}

func TestARateLimitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := settled(t)
		f.listErr = promotion.RetryAfter(10*time.Minute, errors.New("limited"))
		f.run(s, 21*time.Minute)
		if n := len(f.lists); n != 3 {
			t.Errorf("%d requests in 21 minutes of a limit of 10", n)
		}
	})
}

func TestWhatIsNoLongerSentIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := settled(t)
		f.pipeline(7, 1)
		f.refuse = func(string) error { return ghapi.ErrNotRedeliverable }
		f.fails("a", 7)
		f.run(s, 3*time.Minute)
		want(t, "looked", f.looked, "lost-a")
		f.fails("b", 0) // about an installation
		f.run(s, 3*time.Minute)
		if len(f.looked) != 2 || !strings.HasPrefix(f.looked[1], "all-") {
			t.Errorf("looked: %v", f.looked)
		}
	})
}

func TestAnEmptyDiskLooksAtEverythingInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		for id := range int64(200) {
			f.installed[1] = append(f.installed[1], promotion.Repo{ID: id + 1000, Installation: 1})
		}
		f.pipeline(7, 1)
		f.broken[2] = true
		f.pipeline(8, 2)
		f.suspended[3] = true
		f.pipeline(9, 3)
		f.repos[5] = store.Entry{Repo: promotion.Repo{ID: 5, Installation: 99}} // of an installation that is gone
		f.repos[6] = store.Entry{Repo: promotion.Repo{ID: 6, Installation: 1}}  // taken out
		s := f.sweep("one")
		f.run(s, 50*time.Second)
		if len(f.looked) != 201 || !strings.HasSuffix(f.looked[0], "-7") {
			t.Fatalf("%d looks, the first %v", len(f.looked), f.looked[:1])
		}
		if spread := f.lookedAt[200].Sub(f.lookedAt[0]); spread < 9*time.Second || spread > 11*time.Second {
			t.Errorf("201 looks within %s", spread)
		}
		if len(f.forgotten) > 0 {
			t.Errorf("forgotten before all was listed: %v", f.forgotten)
		}
		f.broken[2] = false
		f.run(s, 50*time.Second)
		if len(f.looked) != 202 || !strings.HasSuffix(f.looked[201], "-8") {
			t.Errorf("then %v", f.looked[201:])
		}
		want(t, "forgotten", f.forgotten, 5, 6)
		want(t, "asked for", f.asked, 6, 9)
		f.run(s, time.Hour)
		if len(f.looked) != 202 {
			t.Errorf("it goes on looking: %v", f.looked[202:])
		}
	})
}

// After less than the window GitHub still sends; after more, nobody tells.
// A limit is one installation's own: the look at the others, and the minute's look for
// failed deliveries, go on, and it is asked again when it is over.
func TestALimitedInstallationHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.pipeline(1, 1)
		f.pipeline(2, 2)
		f.limited = map[int64]time.Time{1: time.Now().Add(20*time.Minute + time.Second)}
		s := f.sweep("one")
		f.run(s, 10*time.Minute-time.Second)
		if len(f.looked) != 1 || !strings.HasSuffix(f.looked[0], "-2") || len(f.lists) != 10 {
			t.Errorf("looked at %v, and listed failed deliveries %d times in ten minutes", f.looked, len(f.lists))
		}
		f.run(s, 12*time.Minute)
		if len(f.looked) != 2 || !strings.HasSuffix(f.looked[1], "-1") {
			t.Errorf("looked at %v", f.looked)
		}
		want(t, "lists asked for", f.listed, 1, 2, 1)
	})
}

func TestOutages(t *testing.T) {
	for outage, all := range map[time.Duration]bool{2 * day: false, 4 * day: true} {
		synctest.Test(t, func(t *testing.T) {
			f, _ := settled(t)
			f.pipeline(7, 1)
			f.fails("early", 7)
			time.Sleep(outage)
			f.fails("late", 7)
			f.looked = nil
			f.run(f.sweep("two"), time.Minute)
			looked := slices.ContainsFunc(f.looked, func(cause string) bool { return strings.HasPrefix(cause, "all-") })
			if looked != all {
				t.Errorf("after %s: looked %v", outage, f.looked)
			}
			var guids []string
			for _, r := range f.resent {
				guid, _, _ := strings.Cut(r, " ")
				guids = append(guids, guid)
			}
			if all {
				want(t, "sent again", guids, "late")
			} else {
				want(t, "sent again", guids, "early", "late")
			}
		})
	}
}

func TestEachIsComparedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := settled(t)
		for id := range int64(100) {
			f.pipeline(id+1, 1)
			f.moved[id+1] = true
		}
		f.repos[500] = store.Entry{Repo: promotion.Repo{ID: 500, Installation: 1}} // has no pipeline
		f.moved[500] = true
		for range 3 { // restarts change nothing
			f.run(s, 8*time.Hour)
			s = f.sweep("one")
		}
		if len(f.looked) != 100 {
			t.Errorf("%d looks in a day at 100 repositories", len(f.looked))
		}
		perHour := map[int]int{}
		for i, at := range f.lookedAt {
			perHour[at.Hour()]++
			if want := fmt.Sprintf("daily-%s-", at.UTC().Format(time.DateOnly)); !strings.HasPrefix(f.looked[i], want) {
				t.Errorf("%s at %s", f.looked[i], at)
			}
		}
		if len(perHour) < 20 {
			t.Errorf("they are not spread: %v", perHour)
		}
		f.moved, f.looked = map[int64]bool{}, nil
		f.run(s, 24*time.Hour)
		if len(f.looked) != 0 {
			t.Errorf("looked at what did not move: %v", f.looked)
		}
	})
}

func TestWhatCannotBeReadIsForgottenOnlyOnGitHubsWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := settled(t)
		for id := range int64(5) {
			f.pipeline(id+1, id+10)
			f.unread[id+1] = errors.New("404")
		}
		delete(f.installed, 10)                                 // 1 is gone
		f.suspended[11] = true                                  // 2 is suspended
		f.unread[3] = fmt.Errorf("3: %w", ErrIdle)              // 3 was let go of, and is back
		f.installed[77], f.installed[13] = f.installed[13], nil // 4 was transferred
		f.unread[5] = errors.New("GitHub does not answer")      // 5 has a bad day
		f.run(s, 25*time.Hour)
		want(t, "forgotten", f.forgotten, 1)
		var ids []string
		for _, cause := range f.looked {
			ids = append(ids, cause[strings.LastIndex(cause, "-")+1:])
		}
		slices.Sort(ids)
		want(t, "looked", slices.Compact(ids), "3", "4")
	})
}
