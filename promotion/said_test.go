package promotion_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// promotedTwice is a repository with two pieces of freight in dev and the first in prod.
func promotedTwice() (*pt.World, *promotion.Pipeline) {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "commit", "after:dev"))
	w := pt.NewWorld(p)
	for _, c := range []string{"c1", "c2"} {
		w.Now = w.Now.Add(time.Minute)
		w.Take(pt.Push(pt.SHA(c)))
		w.Now = w.Now.Add(time.Minute)
		w.Say("octocat", "/promote prod")
	}
	w.Tip = pt.SHA("c2")
	w.Now = w.Now.Add(time.Minute)
	return w, p
}

// What people ordered and what lasts is in force again when tracking issue and disk are
// lost together, by their comments and our reactions: as it was, and no more.
func TestWhatLastsIsInForceAgain(t *testing.T) {
	const hour = time.Hour
	for name, lines := range map[string][]string{
		"nothing":                            nil,
		"all is frozen":                      {"/freeze all until we know more"},
		"a stage is frozen":                  {"/freeze prod"},
		"for a time":                         {"/freeze prod --for 4h release day"},
		"for a time that is over":            {"/freeze prod --for 1m"},
		"frozen and unfrozen":                {"/freeze prod", "/freeze dev", "/unfreeze prod"},
		"all is unfrozen":                    {"/freeze prod", "/freeze all", "/unfreeze all"},
		"frozen anew":                        {"/freeze prod first", "/unfreeze prod", "/freeze prod second"},
		"blocked":                            {"/block " + pt.SHA("c1")[:8] + " breaks the menu"},
		"unblocked":                          {"/block " + pt.SHA("c1")[:8], "/unblock " + pt.SHA("c1")[:8]},
		"rolled back":                        {"/rollback prod"},
		"rolled back and resumed":            {"/rollback prod", "/resume prod"},
		"rolled back, then promoted":         {"/rollback prod", "/promote prod"},
		"promoted, then rolled back, frozen": {"/promote prod", "/rollback prod", "/freeze prod"},
		"refused":                            {"/freeze nowhere", "/block 00000000", "/rollback dev 00000000"},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := promotedTwice()
			for _, line := range lines {
				w.Now = w.Now.Add(time.Minute)
				w.Say("octocat", line)
				w.Now = w.Now.Add(300 * time.Millisecond)
			}
			w.Sleep(hour)
			was := w.State
			loseAll(w, p)
			now := w.State
			if !equal(was.Freeze, now.Freeze) {
				t.Errorf("all: freeze %+v, want %+v", now.Freeze, was.Freeze)
			}
			for _, f := range was.Pipelines["default"].Freight {
				if a, b := was.Pipelines["default"].Blocked[f.ID], now.Pipelines["default"].Blocked[f.ID]; !equal(a, b) {
					t.Errorf("%s: block %+v, want %+v", f.Title(), b, a)
				}
			}
			for _, stage := range []string{"dev", "prod"} {
				a, b := was.Pipelines["default"].Stages[stage], now.Pipelines["default"].Stages[stage]
				if !equal(a.Freeze, b.Freeze) {
					t.Errorf("%s: freeze %+v, want %+v", stage, b.Freeze, a.Freeze)
				}
				if (a.Paused == nil) != (b.Paused == nil) || a.Paused != nil && (a.Paused.By != b.Paused.By || !a.Paused.At.Equal(b.Paused.At)) {
					t.Errorf("%s: paused %+v, want %+v", stage, b.Paused, a.Paused)
				}
				for _, f := range was.Pipelines["default"].Freight {
					_, x := a.Verified[f.ID]
					if _, y := b.Verified[f.ID]; x != y {
						t.Errorf("%s: %s is verified: %t, want %t", stage, f.Title(), y, x)
					}
				}
			}
			before := len(w.Landed)
			w.Sleep(hour)
			if len(w.Landed) != before {
				t.Errorf("%d more landings", len(w.Landed)-before)
			}
		})
	}
}

func equal(a, b *promotion.Mark) bool {
	return a == nil && b == nil || a != nil && b != nil && a.By == b.By && a.At.Equal(b.At) && a.Until.Equal(b.Until) && a.Reason == b.Reason
}

// A rollback that nobody asked for is known by the name of its promotion.
func TestARollbackByItselfIsKnownAgain(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"))
	p.Stages[0].Verify = &promotion.Verify{Checks: []string{"ci"}, Timeout: time.Hour, OnFailure: promotion.OnFailureRollback}
	w := pt.NewWorld(p)
	for i, c := range []string{"c1", "c2"} {
		w.Now = w.Now.Add(time.Minute)
		w.Take(pt.Push(pt.SHA(c)))
		w.Now = w.Now.Add(time.Minute)
		w.Check(w.Landing("dev"), "ci", []string{"success", "failure"}[i])
	}
	w.Now = w.Now.Add(time.Minute)
	w.Check(w.Landing("dev"), "ci", "success")
	w.Tip = pt.SHA("c2")
	was := w.State.Pipelines["default"].Stages["dev"]
	if was.Paused == nil || len(was.Before) != 2 {
		t.Fatalf("it was not rolled back: %+v", was)
	}
	w.Now = w.Now.Add(time.Minute)
	loseAll(w, p)
	w.Sleep(2 * time.Hour)
	now := w.State.Pipelines["default"].Stages["dev"]
	if now.Paused == nil || now.Current.Freight != was.Current.Freight || len(w.Landed) != 3 {
		t.Errorf("paused %+v, holds %s of %s, %d landings", now.Paused, now.Current.Freight[:7], was.Current.Freight[:7], len(w.Landed))
	}
}

// Of a comment that got a yes and a no nobody can tell which line got which: nothing of
// it is in force again. What was seen and not answered is carried out.
func TestOnlyWhatWasCarriedOutIsInForceAgain(t *testing.T) {
	w, p := promotedTwice()
	w.Take(pt.Comment(7, w.Now, "/freeze prod", "/freeze nowhere"))
	w.Now = w.Now.Add(time.Minute)
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindReact && e.Text != string(promotion.VerdictSeen) {
			return promotion.RetryAfter(time.Hour, errors.New("limited"))
		}
		return nil
	}
	w.Take(pt.Comment(8, w.Now, "/freeze dev"))
	w.Refuse = nil
	loseAll(w, p)
	stages := w.State.Pipelines["default"].Stages
	if stages["prod"].Freeze != nil || stages["dev"].Freeze == nil {
		t.Errorf("prod %+v, dev %+v", stages["prod"].Freeze, stages["dev"].Freeze)
	}
	if w.Reactions["8 +1"] != 1 {
		t.Errorf("it is not answered: %v", w.Reactions)
	}
}

// Nobody is asked again to approve what they approved: the check run on it says so. What
// somebody pushed since is other content, and who took it back did.
func TestApprovalsAreKnownAgain(t *testing.T) {
	for name, c := range map[string]struct {
		then func(*pt.World)
		open bool
	}{
		"as it was":         {func(*pt.World) {}, true},
		"somebody pushed":   {func(w *pt.World) { w.PushTo("prod", "monalisa", pt.SHA("by hand")) }, false},
		"one was dismissed": {func(w *pt.World) { review(w, "dismissed", "hubot", w.Last("prod").PullRequest.Head, 5) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := pt.Pipeline("default", pt.Stage("prod", "auto"))
			p.Stages[0].Gates.Approvals = &promotion.Approvals{Count: 2, Teams: []string{"acme/sre"}, Users: []string{"monalisa"}}
			w := pt.NewWorld(p)
			w.Teams = map[string][]string{"acme/sre": {"hubot"}}
			w.Take(pt.Push(pt.SHA("c1")))
			w.Now = w.Now.Add(time.Minute)
			w.Say("monalisa", "/approve prod")
			review(w, "approved", "hubot", w.Last("prod").PullRequest.Head, 5)
			if len(w.Last("prod").Approvals) != 2 {
				t.Fatalf("approvals: %+v", w.Last("prod").Approvals)
			}
			w.Tip = pt.SHA("c1")
			w.Now = w.Now.Add(time.Minute)
			c.then(w)
			was := w.Last("prod").Approvals
			loseAll(w, p)
			got := w.Last("prod")
			open := false
			for _, g := range got.Gates {
				open = open || g.Name == promotion.GateApprovals && g.Status == promotion.GateOpen
			}
			if open != c.open {
				t.Errorf("the gate is open: %t; approvals were %+v and are %+v", open, was, got.Approvals)
			}
		})
	}
}

// A review that came to a store which is lost is read again, whether the tracking issue
// is there or not: GitHub sends it no second time.
func TestReviewsAreReadAgain(t *testing.T) {
	for name, lose := range map[string]func(*pt.World, *promotion.Pipeline){
		"the disk is lost":               func(w *pt.World, p *promotion.Pipeline) { w.LoseStore(p) },
		"the tracking issue is lost too": func(w *pt.World, p *promotion.Pipeline) { loseAll(w, p) },
	} {
		for _, state := range []string{"approved", "dismissed"} {
			p := pt.Pipeline("default", pt.Stage("prod", "auto"))
			p.Stages[0].Gates.Approvals = &promotion.Approvals{}
			w := pt.NewWorld(p)
			w.Take(pt.Push(pt.SHA("c1")))
			w.Tip, w.Now = pt.SHA("c1"), w.Now.Add(time.Minute)
			w.Reviews = []promotion.Review{{At: w.Now, Reviewed: promotion.Reviewed{
				Number: w.Pulls[0].Number, Review: 9, State: state, SHA: w.Pulls[0].Head, By: "monalisa", SameRepo: true,
			}}}
			w.Now = w.Now.Add(time.Minute)
			lose(w, p)
			if got := len(w.Last("prod").Approvals) == 1; got != (state == "approved") {
				t.Errorf("%s, %s: approvals %+v", name, state, w.Last("prod").Approvals)
			}
		}
	}
}

// What was asked for and left no trace may have waited or have ended: it does not run by
// itself, and people are told of it. What landed, or is known, is not named.
func TestWhatLeftNoTraceIsSaid(t *testing.T) {
	w, p := promotedTwice()
	w.Say("octocat", "/freeze prod")
	w.Now = w.Now.Add(time.Minute)
	w.Say("monalisa", "/promote prod "+pt.SHA("c1")[:8])
	if last := w.Last("prod"); last.Phase != promotion.PhaseQueued {
		t.Fatalf("%+v does not wait", last)
	}
	w.Now = w.Now.Add(time.Minute)
	loseAll(w, p)
	said := ""
	for _, problem := range w.State.Problems {
		said += problem.Text
	}
	if want := "`/promote prod " + pt.SHA("c1")[:8] + "` of monalisa at 2 Mar 09:06 UTC."; !strings.HasSuffix(said, want) || strings.Count(said, "/promote") != 1 {
		t.Errorf("problems: %q, want one that ends in %q", said, want)
	}
	if n := len(w.Landed); n != 4 || len(w.All("prod")) != 1 {
		t.Errorf("%d landings, %d promotions to prod", n, len(w.All("prod")))
	}
}

// A rollback whose pull request waits is one still: it goes ahead of the queue and past
// a freeze.
func TestAWaitingRollbackIsOneStill(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("prod", "auto"))
	w := pt.NewWorld(p)
	for _, c := range []string{"c1", "c2"} {
		w.Now = w.Now.Add(time.Minute)
		w.Take(pt.Push(pt.SHA(c)))
		w.Now = w.Now.Add(time.Minute)
		w.End("prod", "merged")
	}
	w.Tip, w.Now = pt.SHA("c2"), w.Now.Add(time.Minute)
	w.Say("octocat", "/rollback prod")
	was := w.Last("prod")
	if was.Priority != promotion.PriorityRollback || was.Phase != promotion.PhaseWaiting {
		t.Fatalf("%+v is no rollback that waits", was)
	}
	w.Now = w.Now.Add(time.Minute)
	loseAll(w, p)
	if got := w.State.Promotion(was.Name); got == nil || got.Phase != promotion.PhaseWaiting || got.Priority != promotion.PriorityRollback {
		t.Errorf("it is %+v", got)
	}
}

// A rollback that was asked for and left no trace has taken back what is being verified.
func TestWhatIsRolledBackIsNotVerifiedOn(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"))
	p.Stages[0].Verify = &promotion.Verify{Checks: []string{"ci"}, Timeout: time.Hour}
	w := pt.NewWorld(p)
	for _, c := range []string{"c1", "c2"} {
		w.Now = w.Now.Add(time.Minute)
		w.Take(pt.Push(pt.SHA(c)))
		if c == "c1" {
			w.Now = w.Now.Add(time.Minute)
			w.Check(w.Landing("dev"), "ci", "success")
		}
	}
	w.Tip, w.Now = pt.SHA("c2"), w.Now.Add(time.Minute)
	second := w.Last("dev")
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep }
	w.Say("octocat", "/rollback dev")
	w.Hold = nil
	w.Now = w.Now.Add(time.Minute)
	loseAll(w, p)
	if got := w.State.Promotion(second.Name); got == nil || got.Verify != nil || got.Phase != promotion.PhaseFailed {
		t.Errorf("what was rolled back from is %+v", got)
	}
	if st := w.State.Pipelines["default"].Stages["dev"]; st.Paused == nil || !st.Current.Undone {
		t.Errorf("dev is %+v", st)
	}
}

// A yes is not given before the no of another line.
func TestANoComesFirst(t *testing.T) {
	w, _ := promotedTwice()
	refused := false
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindReact && e.Text == string(promotion.VerdictWrong) {
			refused = true
			return promotion.RetryAfter(time.Hour, errors.New("limited"))
		}
		return nil
	}
	w.Take(pt.Comment(7, w.Now, "/freeze prod", "/freeze nowhere"))
	if !refused || w.Reactions["7 +1"] != 0 {
		t.Errorf("a no was tried: %t; reactions %v", refused, w.Reactions)
	}
	w.Refuse = nil
	w.Sleep(2 * time.Hour)
	if w.Reactions["7 +1"] != 1 || w.Reactions["7 confused"] != 1 {
		t.Errorf("in the end: %v", w.Reactions)
	}
}

// What landed in a stage that the config lacked while all was lost is known when the
// stage comes back.
func TestAStageComesBackAfterAllWasLost(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "commit"))
	without := pt.Pipeline("default", p.Stages[1])
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	freight := w.Last("dev").Freight
	w.Tip, w.Now = pt.SHA("c1"), w.Now.Add(time.Minute)
	w.Take(pt.Config(without))
	loseAll(w, without)
	w.Now = w.Now.Add(time.Minute)
	w.Take(pt.Config(p))
	if st := w.State.Pipelines["default"].Stages["dev"]; st == nil || st.Current == nil || st.Current.Freight != freight || len(w.Landed) != 1 {
		t.Errorf("dev is %+v after %d landings", st, len(w.Landed))
	}
}
