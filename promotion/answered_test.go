package promotion_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// judgedStatus is a state in which /status has its verdict and no answer yet.
func judgedStatus(t *testing.T) (*promotion.State, promotion.Decision) {
	t.Helper()
	w := pt.NewWorld(three())
	d := promotion.Advance(w.State, []promotion.Input{pt.Comment(9, w.Now, "/status")}, w.Now)
	d = promotion.Advance(d.State, []promotion.Input{
		promotion.Result{Effect: "react/9/eyes"}, promotion.Result{Effect: "permission/octocat", Permission: "write"},
	}, w.Now)
	return d.State, d
}

// The last answer must cost no second write of the ledger.
func TestTellingAVerdictChangesNothingToRecord(t *testing.T) {
	s, d := judgedStatus(t)
	if len(d.Effects) != 2 {
		t.Fatalf("effects %v, want a reaction and a reply", d.Effects)
	}
	told := promotion.Advance(s, []promotion.Input{promotion.Result{Effect: "react/9/+1"}, promotion.Result{Effect: "reply/9"}}, pt.Start).State
	if !told.Comments[0].Done {
		t.Fatal("everything was sent, and yet the comment is not done")
	}
	if !reflect.DeepEqual(s.Answered().Comments, told.Answered().Comments) || !reflect.DeepEqual(told.Answered().Comments, told.Comments) {
		t.Errorf("the states to record differ:\n%+v\n%+v", s.Answered().Comments[0], told.Comments[0])
	}
	if unjudged := promotion.Advance(pt.NewWorld(three()).State, []promotion.Input{pt.Comment(9, pt.Start, "/status")}, pt.Start).State; unjudged.Answered().Comments[0].Done {
		t.Error("a comment without a verdict counts as answered")
	}
}

// With the store lost nobody knows whether the reply was sent.
func TestAReplyIsLookedForAfterARebuild(t *testing.T) {
	s, _ := judgedStatus(t)
	kept := *s
	kept.Local = promotion.Local{}
	now := pt.Start.Add(time.Hour)
	d := promotion.Advance(&kept, []promotion.Input{pt.Config(three()), promotion.Rebuilt{}}, now)
	reply := d.State.Local.Pending["reply/9"]
	if reply == nil || !reply.Look || !reply.SentAt.Equal(s.Comments[0].At) || !reply.NotBefore.Equal(now.Add(3*time.Second)) {
		t.Errorf("the reply is %+v: it must be looked for since the question, when lists have caught up", reply)
	}
}
