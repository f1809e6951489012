package ledger

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
	"github.com/stagecoach-app/stagecoach/promotion/window"
)

// shown checks that all of the texts are drawn, and none of those behind "not".
func shown(t *testing.T, w *pt.World, moment string, texts ...string) {
	t.Helper()
	drawn, wanted := Draw(w.State, testLinks, w.Now), true
	for _, text := range texts {
		if text == "not" {
			wanted = false
		} else if strings.Contains(drawn, text) != wanted {
			t.Errorf("%s: drawn with %q is %v, want %v:\n%s", moment, text, !wanted, wanted, drawn)
		}
	}
}

// advice checks what the check run of a stage's newest promotion says last.
func advice(t *testing.T, w *pt.World, stage, want string) {
	t.Helper()
	p := w.Last(stage)
	summary := CheckSummary(promotion.Task{
		Repo: w.State.Repo, Promotion: p, Pipeline: w.State.Local.Config[p.Pipeline], State: w.State, Freight: w.State.FreightByID(p.Pipeline, p.Freight),
	}, testLinks)
	if _, next, _ := strings.Cut(summary, "**Next:** "); !strings.Contains(next, want) {
		t.Errorf("%s: the check run ends with %q, want %q", stage, next, want)
	}
}

// The core's own words are understood: a promotion through soak, a freeze,
// approvals and a window, as the tracking issue and the check run tell of it.
func TestTheStoryOfGates(t *testing.T) {
	dev, prod := pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "after:dev")
	prod.Gates = promotion.Gates{
		Soak: 2 * time.Hour, Approvals: &promotion.Approvals{Count: 2, Users: []string{"hubot", "monalisa"}}, Windows: []window.Window{{Deny: "2099-01-01..2099-01-02"}},
	}
	w := pt.NewWorld(pt.Pipeline("default", dev, prod))
	w.Take(pt.Push(pt.SHA("c1")))
	shown(t, w, "verified in dev", " is ready from ", "(soak 2 h): `/promote prod ", "Nothing waits for anybody.")

	w.Say("octocat", "/promote prod "+pt.SHA("c1")[:8])
	shown(t, w, "soaking", "### Queue", "⏳ Soaking until ", "Nothing waits for anybody.", "not", "### Held back")
	w.Say("octocat", "/freeze prod --for 3h incident 42")
	shown(t, w, "frozen", "❄️ **prod** frozen by [octocat]", ": “incident 42”. `/unfreeze prod` lifts it.", "❄️ Frozen by octocat until ", "not", "✋")

	w.Sleep(4 * time.Hour)
	shown(t, w, "open", "✋ **prod** waits for 2 of 2 approvals: ", "✋ Waiting for 2 of 2 approvals", "Comment `/approve prod`, or approve the pull request; it takes one from `hubot` or `monalisa`.", "not", "❄️", "### Queue")
	advice(t, w, "prod", "or comment `/approve` there")
	w.Say("hubot", "/approve prod")
	shown(t, w, "one approved", "✋ **prod** waits for 1 of 2 approvals (hubot approved): ", "✅ approved by [hubot]")
	w.Say("monalisa", "/approve prod")
	shown(t, w, "all open", "✋ **prod** waits for the merge of [#", "✅ Approved by hubot, monalisa")
	advice(t, w, "prod", "merge [#")

	w.Say("octocat", "/block "+pt.SHA("c1")[:8]+" breaks checkout")
	shown(t, w, "blocked", "❌ blocked: ", ": “breaks checkout”. `/unblock ", "❌ Blocked by octocat: breaks checkout", "Nothing waits for anybody.")
	advice(t, w, "prod", "lifts the block")
	w.End("prod", "merged")
	shown(t, w, "merged all the same", "past what was not open: block")
	advice(t, w, "prod", "")
}

// A landing that is verified, one that is not, and the way back.
func TestTheStoryOfABadLanding(t *testing.T) {
	dev := pt.Stage("dev", "auto", "commit")
	dev.Verify = &promotion.Verify{Checks: []string{"e2e"}}
	w := pt.NewWorld(pt.Pipeline("default", dev, pt.Stage("prod", "after:dev")))
	w.Take(pt.Push(pt.SHA("c1")))
	shown(t, w, "landed", "⏳ verifying", "Verifying: 0 of 1 check green, until ", "⏳ verifying until ", "not", "✅ verified")
	advice(t, w, "dev", "counts as a no.")
	w.Check(w.Landing("dev"), "e2e", "success")
	shown(t, w, "verified", "✅ Landed in ", ", verified: ", "✅"+unbroken+"verified", "Nothing waits for anybody.")

	w.Sleep(time.Hour)
	w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
	w.Check(w.Landing("dev"), "e2e", "failure")
	shown(t, w, "red", "❌ **dev** unhealthy since ", ": Verification said no: e2e.", "go back with `/rollback dev`", "❌"+unbroken+"unhealthy", "not", "Mend it, then")
	advice(t, w, "dev", "`/rollback dev` brings back")

	w.Sleep(time.Minute)
	w.Say("octocat", "/rollback dev")
	shown(t, w, "on its way back", "❌ **dev** unhealthy since ", "✋ **dev** paused by [octocat]", "`/resume dev`", "(rollback)")
	w.Check(w.Landing("dev"), "e2e", "success")
	shown(t, w, "back", "↩️ Landed in ", "✋ **dev** paused by [octocat]", "not", "unhealthy")
}
