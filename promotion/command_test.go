package promotion_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

func TestCommandsAreAnswered(t *testing.T) {
	cases := []struct {
		name, line, permission string
		verdict                promotion.Verdict
		says                   string // "": no comment
	}{
		{"near miss of a stage", "/promote prodd", "write", promotion.VerdictWrong, "There is no stage `prodd` here. Did you mean `prod`? Stages: dev, staging, prod."},
		{"no stage", "/promote", "write", promotion.VerdictWrong, "Say which stage"},
		{"unknown freight", "/promote dev 9.9.9", "write", promotion.VerdictWrong, "9.9.9 is not known here. Newest: app"},
		{"now without a reason", "/promote dev --now", "write", promotion.VerdictWrong, "needs a reason"},
		{"too early", "/promote prod " + pt.SHA("c1")[:9], "write", promotion.VerdictStarted, "is queued for prod: not yet verified in staging"},
		{"nothing may go there", "/promote prod", "write", promotion.VerdictWrong, "Nothing may go to prod yet"},
		{"there already", "/promote staging", "write", promotion.VerdictDone, "is on its way to staging already"},
		{"only read, private", "/promote prod", "read", promotion.VerdictDenied, "that takes write access to this repository (you have read)"},
		{"nobody", "/promote prod", "none", promotion.VerdictDenied, ""},
		{"help", "/help", "write", promotion.VerdictDone, "`/promote STAGE [FREIGHT]"},
		{"status", "/status", "read", promotion.VerdictDone, "| dev | app "},
		{"a plan", "/plan prod", "write", promotion.VerdictDone, ""},
		{"a plan of nothing", "/plan prodd", "write", promotion.VerdictWrong, "Did you mean `prod`?"},
		{"a plan with options", "/plan prod --now", "write", promotion.VerdictWrong, "it has no options"},
		{"a plan for a reader", "/plan prod", "read", promotion.VerdictDenied, "that takes write access to this repository (you have read)"},
		{"a plan for nobody", "/plan prod", "none", promotion.VerdictDenied, ""},
		{"fine", "/promote dev " + pt.SHA("c1")[:9], "admin", promotion.VerdictStarted, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := pt.NewWorld(three())
			w.Take(pt.Push(pt.SHA("c1")))
			w.Permission = c.permission
			w.Take(pt.Comment(77, w.Now, c.line))
			if w.Reactions["77 eyes"] != 1 || w.Reactions["77 "+string(c.verdict)] != 1 || len(w.Reactions) != 2 {
				t.Errorf("reactions %v, want eyes and %s", w.Reactions, c.verdict)
			}
			said := strings.Join(w.Replies, "\n")
			if c.says == "" && said != "" || !strings.Contains(said, c.says) {
				t.Errorf("said %q, want %q", said, c.says)
			}
			if s := w.State.Comments[0]; !s.Done {
				t.Error("the comment is not done")
			}
		})
	}
}

func TestAStrangerOnAPublicRepositoryGetsAReactionAlone(t *testing.T) {
	w := pt.NewWorld(three())
	w.State.Repo.Private = false
	w.Permission = "read"
	public := pt.Comment(3, w.Now, "/help")
	public.Repo.Private = false
	w.Take(public)
	if len(w.Replies) != 0 || w.Reactions["3 -1"] != 1 {
		t.Errorf("reactions %v, replies %v", w.Reactions, w.Replies)
	}
}
func TestRetryGoesOnWhereItFailed(t *testing.T) {
	two := pt.Pipeline("default", pt.Stage("prod", "auto"))
	two.Stages[0].Steps = append(two.Stages[0].Steps, promotion.Step{Uses: "copy", Config: json.RawMessage(`{"inPath":"a","outPath":"b"}`)})
	mended := pt.Pipeline("default", pt.Stage("prod", "auto"))
	mended.Stages[0].Steps = append(mended.Stages[0].Steps, promotion.Step{Uses: "copy", Config: json.RawMessage(`{"inPath":"c","outPath":"b"}`)})
	other := pt.Pipeline("default", pt.Stage("prod", "auto"))
	other.Stages[0].Steps = []promotion.Step{{Uses: "copy"}, {Uses: "copy"}}
	for _, c := range []struct {
		name   string
		config *promotion.Pipeline
		first  int // how often the first step ran in the end
	}{{"the same config", two, 1}, {"the failed step mended", mended, 1}, {"an earlier step changed", other, 2}} {
		t.Run(c.name, func(t *testing.T) {
			w := pt.NewWorld(two)
			w.StepResult = func(e promotion.Effect) promotion.Result {
				if e.Step == 1 {
					return promotion.Result{Err: promotion.Terminal(fmt.Errorf("there is no a"))}
				}
				return promotion.Result{Phase: promotion.StepSucceeded}
			}
			w.Take(pt.Push(pt.SHA("c1")))
			w.StepResult = nil
			w.Take(pt.Config(c.config), pt.Comment(1, w.Now, "/retry prod"))
			p := w.All("prod")[0]
			if p.Phase != promotion.PhaseWaiting || p.PullRequest == nil {
				t.Errorf("%s: %s", p.Phase, p.Message)
			}
			if got := w.Ran["step/"+p.Name+"/0"]; got != c.first {
				t.Errorf("the first step ran %d times, want %d", got, c.first)
			}
		})
	}
}

func TestRetryAfterAClosedPullRequestOpensAnother(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	w.Take(pt.Push(pt.SHA("c1")))
	w.End("prod", "closed")
	w.Take(pt.Comment(1, w.Now, "/retry prod"))
	if p := w.All("prod")[0]; p.Phase != promotion.PhaseWaiting || len(w.Pulls) != 2 || w.Pulls[1].State != "open" {
		t.Errorf("%s with %d pull requests", p.Phase, len(w.Pulls))
	}
}
