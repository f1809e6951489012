package promotion_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// onPull is a comment on a pull request.
func onPull(id int64, number int, lines ...string) promotion.Event {
	e := pt.Comment(id, pt.Start, lines...)
	body := e.Body.(promotion.Commented)
	body.Number, body.PullRequest = number, true
	e.Body = body
	return e
}

func TestOnOtherPullRequestsOnlyPromoteIsMeantForUs(t *testing.T) {
	w := pt.NewWorld(three())
	w.Take(pt.Push(pt.SHA("c1")))
	w.Take(onPull(5, 77, "/retry", "/help", "/abort"))
	if len(w.Reactions) != 0 || len(w.Replies) != 0 {
		t.Errorf("reactions %v, replies %v", w.Reactions, w.Replies)
	}
	w.Take(onPull(6, 77, "/retry", "/promote nowhere"))
	if w.Reactions["6 confused"] != 1 || len(w.Replies) != 1 || !strings.Contains(w.Replies[0], "no stage `nowhere`") {
		t.Errorf("reactions %v, replies %v", w.Reactions, w.Replies)
	}
	w.Take(onPull(7, 100, "/abort")) // staging's own
	if w.Reactions["7 +1"] != 1 || w.Pulls[0].State != "closed" {
		t.Errorf("reactions %v, pull request %s", w.Reactions, w.Pulls[0].State)
	}
}

func TestAPermissionThatCannotBeReadIsNoDenial(t *testing.T) {
	w := pt.NewWorld(three())
	w.Take(pt.Push(pt.SHA("c1")))
	w.Fault = func(e promotion.Effect) pt.Fault {
		if e.Kind == promotion.KindPermission {
			return pt.NotDone
		}
		return pt.Well
	}
	w.Take(pt.Comment(5, w.Now, "/abort staging"))
	w.Sleep(24 * time.Hour)
	if w.Reactions["5 confused"] != 1 || len(w.Replies) != 1 || !strings.Contains(w.Replies[0], "could not be read") {
		t.Errorf("reactions %v, replies %v", w.Reactions, w.Replies)
	}
	if w.Pulls[0].State != "open" {
		t.Error("the command was carried out")
	}
}

func TestLongCommentsDoNotGrowTheState(t *testing.T) {
	w := pt.NewWorld(three())
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindPermission }
	w.Take(pt.Comment(1, w.Now, "/promote "+strings.Repeat("é", 40_000)), pt.Comment(2, w.Now, "/promote "+strings.Repeat("x ", 40_000)))
	raw, err := json.Marshal(w.State.Comments)
	if err != nil || len(raw) > 3000 {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
	w.Hold = nil
	w.Take()
	if raw, _ = json.Marshal(w.State.Comments); len(raw) > 600 {
		t.Errorf("%d bytes when they are answered: %s", len(raw), raw)
	}
}

// GitHub's lists do not show at once what was made, however long ago it was
// decided to make it (promise 8).
func TestWhatGotNoAnswerIsNotLookedForTooSoon(t *testing.T) {
	kinds := map[promotion.Kind]string{promotion.KindReply: "reply/5", promotion.KindCheck: "check/"}
	for kind, id := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
			var tries []time.Time
			w.Fault = func(e promotion.Effect) pt.Fault {
				if e.Kind != kind || !strings.HasPrefix(e.ID, id) {
					return pt.Well
				}
				if tries = append(tries, w.Now); len(tries) == 1 {
					return pt.AnswerLost
				}
				return pt.Well
			}
			w.Take(pt.Push(pt.SHA("c1")), pt.Comment(5, w.Now, "/help"))
			w.Sleep(time.Minute)
			if len(tries) < 2 || tries[1].Sub(tries[0]) < 3*time.Second {
				t.Errorf("tried at %v", tries)
			}
		})
	}
}

// A verdict is told when the ledger holds it, and not before (promise 18).
func TestVerdictsWaitForTheLedger(t *testing.T) {
	w := pt.NewWorld(three())
	w.Hold = func(e promotion.Effect) bool { return e.Late }
	w.Take(pt.Comment(5, w.Now, "/help"))
	if w.Reactions["5 eyes"] != 1 || w.Reactions["5 +1"] != 0 || len(w.Replies) != 0 {
		t.Errorf("before the ledger: reactions %v, replies %v", w.Reactions, w.Replies)
	}
	w.Hold = nil
	w.Take()
	if w.Reactions["5 +1"] != 1 || len(w.Replies) != 1 || w.Written == 0 {
		t.Errorf("after it: reactions %v, replies %v", w.Reactions, w.Replies)
	}
}

func TestLoginsAreTheSameInAnyCase(t *testing.T) {
	w := pt.NewWorld(three())
	other := pt.Comment(6, w.Now, "/help")
	body := other.Body.(promotion.Commented)
	body.By = "OctoCat"
	other.Body = body
	w.Take(pt.Comment(5, w.Now, "/help"), other)
	if w.Reactions["5 +1"] != 1 || w.Reactions["6 +1"] != 1 {
		t.Errorf("reactions %v", w.Reactions)
	}
}

// The answer to the making of the tracking issue was lost, and somebody comments there
// before its number is known. An issue that is none of ours is not listened to.
func TestACommentOnTheIssueThatIsBeingMade(t *testing.T) {
	for _, making := range []bool{true, false} {
		w := pt.NewWorld(three())
		w.Take(pt.Push(pt.SHA("c1")))
		own := *w.State
		own.Issue = 0
		if making {
			own.Local.Creating = w.Now
		}
		w.State = &own
		w.Take(pt.Comment(5, w.Now, "/abort staging"))
		if heard := w.Reactions["5 +1"] == 1; heard != making {
			t.Errorf("being made: %v, heard: %v", making, heard)
		}
	}
}
