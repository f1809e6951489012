package promotion_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// plans are what was shown: stage, freight and whose pipeline files.
func plans(w *pt.World) map[string]string {
	out := map[string]string{}
	for id, all := range w.Plans {
		for _, p := range all {
			out[id] += strings.TrimSpace(fmt.Sprintf("%s %.7s %.7s", p.Stage, p.Freight, p.Head)) + ";"
		}
	}
	return out
}

func TestAPlanIsOfWhatTheCommentSpeaksOf(t *testing.T) {
	w := pt.NewWorld(three())
	w.Take(pt.Push(pt.SHA("c1")))
	first := w.State.Pipelines["default"].Freight[0]
	w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
	second := w.State.Pipelines["default"].Freight[1]
	pull := w.Pulls[0] // of staging, with the first
	before := promotion.Settle(w.State, w.Now).State.Pipelines
	w.Take(
		pt.Comment(1, w.Now, "/plan prod", "/plan prod "+first.Alias(), "/plan staging"),
		onPull(2, pull.Number, "/plan"),
		onPull(3, pull.Number, "/plan prod"),
		onPull(4, 999, "/plan prod"),
	)
	want := map[string]string{
		"plan/1/1": "prod " + second.ID[:7] + ";", // nothing may go there yet: the newest
		"plan/1/2": "prod " + first.ID[:7] + ";",
		"plan/1/3": "staging " + second.ID[:7] + ";",
		"plan/2/1": "staging " + first.ID[:7] + ";",
		"plan/3/1": "prod " + second.ID[:7] + ";",
	}
	if diff := cmp.Diff(want, plans(w)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, w.State.Pipelines); diff != "" {
		t.Errorf("a plan changed something:\n%s", diff)
	}
	if w.Reactions["4 eyes"] != 0 {
		t.Error("a /plan on somebody else's pull request was taken for ours")
	}
}

// Others have a /plan of their own: only where pipeline files change is it ours.
func TestAPullRequestThatChangesPipelineFilesIsPlannedByThem(t *testing.T) {
	w := pt.NewWorld(three())
	w.Take(pt.Push(pt.SHA("c1")))
	changed := func(action, head string, own bool) promotion.Event {
		return promotion.Event{Repo: pt.Repo, Cause: action + head, At: w.Now, Body: promotion.PullRequestChanged{
			Number: 7, Action: action, HeadBranch: "topic", HeadSHA: head, Base: "main", SameRepo: own,
		}}
	}
	ask := func(id int64) { w.Take(onPull(id, 7, "/plan new/prod 1.2", "/help")) }
	w.ConfigChecked = func(e promotion.Effect) bool { return e.SHA != pt.SHA("h0") }
	w.Take(changed("opened", pt.SHA("h0"), false)) // it changes no pipeline file
	ask(10)
	w.Take(changed("synchronize", pt.SHA("h1"), false))
	ask(11)
	w.Take(changed("synchronize", pt.SHA("h2"), false))
	ask(12)
	w.Permission = "read"
	ask(13)
	w.Permission = "write"
	w.Take(changed("closed", pt.SHA("h2"), false))
	ask(14)
	want := map[string]string{"plan/11/1": "new/prod 1.2 " + pt.SHA("h1")[:7] + ";", "plan/12/1": "new/prod 1.2 " + pt.SHA("h2")[:7] + ";"}
	if diff := cmp.Diff(want, plans(w)); diff != "" {
		t.Error(diff)
	}
	for id, verdict := range map[int64]string{10: "", 11: "+1", 12: "+1", 13: "-1", 14: ""} {
		got := ""
		for r := range w.Reactions {
			if word, ok := strings.CutPrefix(r, fmt.Sprint(id, " ")); ok && word != "eyes" {
				got += word
			}
		}
		if got != verdict {
			t.Errorf("comment %d got %q, want %q", id, got, verdict)
		}
	}
}

// The verdict says that the plan stands there, so that a crash in between leaves
// an unanswered comment and not a lost answer.
func TestAPlanIsShownOnceAndAnsweredThen(t *testing.T) {
	for name, fault := range map[string]pt.Fault{"answer lost": pt.AnswerLost, "crash": pt.Crash, "crash first": pt.CrashFirst, "not done": pt.NotDone} {
		t.Run(name, func(t *testing.T) {
			w := pt.NewWorld(three())
			w.Take(pt.Push(pt.SHA("c1")))
			faulty := true
			w.Fault = func(e promotion.Effect) pt.Fault {
				if e.Kind == promotion.KindPlan && faulty {
					faulty = false
					if w.Reactions["5 +1"] != 0 {
						t.Error("the verdict was there before the plan")
					}
					return fault
				}
				return pt.Well
			}
			w.Take(pt.Comment(5, w.Now, "/plan prod"))
			for range 5 {
				w.Now = w.Now.Add(time.Minute)
				w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Woke{}})
			}
			if len(w.Plans["plan/5/1"]) != 1 || w.Reactions["5 +1"] != 1 || len(w.Replies) != 0 {
				t.Errorf("plans %v, reactions %v, replies %q", w.Plans, w.Reactions, w.Replies)
			}
			if faulty {
				t.Error("nothing went wrong")
			}
		})
	}
}

func TestAPlanThatCannotBeMadeSaysWhy(t *testing.T) {
	w := pt.NewWorld(three())
	w.Take(pt.Push(pt.SHA("c1")))
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindPlan {
			return promotion.Terminal(errors.New("no stage `x` there @octocat"))
		}
		return nil
	}
	w.Take(pt.Comment(5, w.Now, "/plan prod"))
	said := strings.Join(w.Replies, "\n")
	if w.Reactions["5 confused"] != 1 || !strings.Contains(said, "The plan could not be made: no stage \\`x\\` there @\u200boctocat.") {
		t.Errorf("reactions %v, said %q", w.Reactions, said)
	}
}

func TestForeseeJudgesByThePipelineThatItIsGiven(t *testing.T) {
	w := pt.NewWorld(three())
	w.Take(pt.Push(pt.SHA("c1")))
	f := w.State.Pipelines["default"].Freight[0]
	next := three()
	stage := next.Stage("prod")
	stage.Gates = promotion.Gates{Soak: time.Hour, Checks: []string{"e2e"}, Approvals: &promotion.Approvals{Count: 2}}
	kept := fmt.Sprint(w.State.Local)
	var got []string
	for _, g := range w.State.Foresee(next, stage, f.ID, w.Now) {
		got = append(got, fmt.Sprintf("%s %s: %s", g.Name, g.Status, g.Text))
	}
	want := []string{
		"after pending: Not yet verified in staging", "soak pending: Soak of 1 h begins when it is verified",
		"checks pending: Checks begin when it has landed in staging", "approvals pending: Waiting for 2 of 2 approvals",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	dev := next.Stage("staging")
	dev.Gates.Checks = []string{"e2e"}
	for _, g := range w.State.Foresee(next, dev, f.ID, w.Now) {
		if g.Name == promotion.GateChecks && g.Text != "Checks are read when somebody asks for it" {
			t.Errorf("checks that nobody reads: %q", g.Text)
		}
	}
	if fmt.Sprint(w.State.Local) != kept {
		t.Error("looking ahead left a trace")
	}
}

// Without a word it is what would be promoted: newer freight that may not go there yet
// is not it.
func TestAPlanIsOfWhatWouldBePromoted(t *testing.T) {
	w := pt.NewWorld(three())
	w.Take(pt.Push(pt.SHA("c1")))
	w.End("staging", "merged")
	w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
	w.Take(pt.Comment(1, w.Now, "/plan prod"))
	first := w.State.Pipelines["default"].Freight[0]
	if got, want := plans(w)["plan/1/1"], "prod "+first.ID[:7]+";"; got != want {
		t.Errorf("the plan is of %q, want %q", got, want)
	}
}

// Who approved what is under way need not approve it again.
func TestForeseeCountsApprovals(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("prod"))
	p.Stages[0].Gates.Approvals = &promotion.Approvals{Count: 1}
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	f := w.State.Pipelines["default"].Freight[0]
	stands := func() promotion.GateStatus { return w.State.Foresee(p, p.Stage("prod"), f.ID, w.Now)[0].Status }
	w.Say("octocat", "/promote prod")
	before := stands()
	w.Now = w.Now.Add(time.Minute)
	w.Say("hubot", "/approve prod")
	if before != promotion.GatePending || stands() != promotion.GateOpen {
		t.Errorf("approvals are %s, and after an approval %s", before, stands())
	}
}
