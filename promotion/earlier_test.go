package promotion_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// loseAll comes back with nothing but what GitHub shows: store and ledger are gone.
func loseAll(w *pt.World, p *promotion.Pipeline, then ...promotion.Input) {
	w.State = &promotion.State{Version: promotion.StateVersion, Repo: pt.Repo, Issue: 1}
	w.Take(append([]promotion.Input{pt.Config(p), promotion.Rebuilt{}}, then...)...)
}

// GitHub may send a delivery again that an earlier life answered. Our own reaction
// tells, although nothing else knows.
func TestWhatAnEarlierLifeAnsweredDoesNotRunAgain(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "commit"))
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	ask, stop := pt.Comment(5, w.Now, "/promote dev"), pt.Comment(6, w.Now, "/freeze all")
	w.Take(ask)
	w.Take(stop)
	w.Sleep(time.Hour)
	w.Tip = pt.SHA("c1")
	loseAll(w, p, ask, stop)
	if all := w.All("dev"); len(all) != 1 || len(w.Landed) != 1 || w.State.Freeze == nil || w.State.Freeze.By != "octocat" {
		t.Errorf("%d promotions, %d landings, freeze %v: want what git and the reactions show, and no more", len(all), len(w.Landed), w.State.Freeze)
	}
	for _, s := range w.State.Comments {
		if !s.Done {
			t.Errorf("the comment is %+v, want it answered", s)
		}
	}
}

// A push that somebody took away again, told late to a server that has lost its disk,
// seems to continue the branch. What the branch held when the disk was found empty
// is newer.
func TestALatePushFromBeforeTheDiskWasLostIsOld(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // when the store was found empty, from the second that the push tells
		want  string
	}{
		{"of an hour ago", time.Hour, "c1"},
		{"of the same second", 600 * time.Millisecond, "c2"}, // GitHub tells no better, and it continues what was read
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"))
			w := pt.NewWorld(p)
			w.Now, w.Tip = w.Now.Add(c.after), pt.SHA("c1")
			read := pt.Config(p)
			read.Tips = map[string]string{"main": pt.SHA("c1")}
			w.State = &promotion.State{Version: promotion.StateVersion, Repo: pt.Repo, Issue: 1}
			w.Take(read, promotion.Rebuilt{})
			w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
			if got := w.State.Pipelines["default"].Artifacts["app"].Commit; got != pt.SHA(c.want) {
				t.Errorf("the artifact is %s, want %s", got, pt.SHA(c.want))
			}
		})
	}
}

// One that an earlier life saw and did not answer is carried out, and what may be
// there of it is looked for.
func TestWhatAnEarlierLifeSawIsLookedFor(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev"))
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	ask := pt.Comment(5, w.Now, "/promote dev")
	w.Hold = func(e promotion.Effect) bool { return e.Late }
	w.Take(ask)
	w.Hold = nil
	w.Now, w.Tip = w.Now.Add(time.Minute), pt.SHA("c1")
	loseAll(w, p, ask)
	w.Sleep(time.Minute)
	if all := w.All("dev"); len(all) != 1 || len(w.Pulls) != 1 || w.Reactions["5 +1"] != 1 {
		t.Errorf("%d promotions, %d pull requests, reactions %v", len(all), len(w.Pulls), w.Reactions)
	}
}

// A comment of the second in which the store was found empty may be older than that
// or newer: GitHub's times are whole seconds. The answer to our 👀 tells, and until
// then nothing is done.
func TestACommentOfTheSecondOfAnEmptyStoreIsNew(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev"))
	w := pt.NewWorld(p)
	w.Now = w.Now.Add(300 * time.Millisecond)
	loseAll(w, p, pt.Push(pt.SHA("c1")))
	seen := func(e promotion.Effect) bool { return e.Kind == promotion.KindReact }
	w.Hold = seen
	w.Take(pt.Comment(5, w.Now.Truncate(time.Second), "/promote dev"))
	none(t, w, "dev")
	w.Hold = func(e promotion.Effect) bool { return !seen(e) && e.Kind == promotion.KindStep }
	w.Take()
	if got := w.Last("dev"); got == nil || got.Look || w.State.Comments[0].Look {
		t.Errorf("%+v looks for traces of an earlier life", got)
	}
}

// No verdict goes before the 👀, by which an earlier life is known.
func TestNoVerdictBeforeTheEyes(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev")))
	w.Hold = func(e promotion.Effect) bool { return e.Text == string(promotion.VerdictSeen) }
	w.Take(pt.Comment(5, w.Now, "/help"))
	if len(w.Reactions)+len(w.Replies) != 0 {
		t.Errorf("reactions %v and replies %v before the eyes", w.Reactions, w.Replies)
	}
	w.Hold = nil
	w.Take()
	if w.Reactions["5 eyes"] != 1 || w.Reactions["5 +1"] != 1 || len(w.Replies) != 1 {
		t.Errorf("reactions %v and replies %v", w.Reactions, w.Replies)
	}
}
