package promotion_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// overtaken is a world in which a pull request waits whose freight is no longer the
// newest, and then tracking issue and disk are lost together.
func overtaken(t *testing.T, words ...string) (w *pt.World, first *promotion.Promotion, p *promotion.Pipeline) {
	t.Helper()
	p = pt.Pipeline("default", pt.Stage("prod", words...))
	w = pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	first = w.Last("prod")
	w.Tip = pt.SHA("c2")
	if first == nil || first.PullRequest == nil {
		t.Fatalf("%+v waits for no pull request", first)
	}
	return w, first, p
}

// What waited for a merge waits for it again, by its own pull request and without any
// step being run anew; newer freight queues behind it.
func TestAnOpenPullRequestIsTakenOver(t *testing.T) {
	w, first, p := overtaken(t, "auto")
	w.Now = w.Now.Add(time.Minute)
	clear(w.Ran)
	loseAll(w, p)
	got := w.State.Promotion(first.Name)
	if got == nil || got.Phase != promotion.PhaseWaiting || got.PullRequest.Number != first.PullRequest.Number || got.RequestedBy != first.RequestedBy || !got.Automatic {
		t.Fatalf("it is %+v, want it to wait for #%d", got, first.PullRequest.Number)
	}
	if w.Ran["step/"+first.Name+"/0"]+w.Ran["step/"+first.Name+"/1"]+w.Ran["step/"+first.Name+"/2"] != 0 || len(w.Pulls) != 1 {
		t.Errorf("steps ran again: %v, and there are %d pull requests", w.Ran, len(w.Pulls))
	}
	f := w.State.FreightByID("default", first.Freight)
	if f == nil || f.Title() != "app "+pt.SHA("c1")[:7] {
		t.Errorf("its freight is %+v", f)
	}
	w.End("prod", "merged")
	w.End("prod", "merged")
	if all := w.All("prod"); len(all) != 2 || all[0].Phase != promotion.PhaseSucceeded || all[1].Phase != promotion.PhaseSucceeded {
		t.Errorf("%d promotions: %v", len(all), w.Phases("prod"))
	}
}

// The policy of the stage decides about it as before.
func TestATakenOverPullRequestMakesRoomByThePolicy(t *testing.T) {
	for _, c := range []struct {
		policy  promotion.Supersede
		foreign bool
		want    string
	}{
		{promotion.SupersedeQueued, false, "open"}, {promotion.SupersedeOpen, false, "closed"}, {promotion.SupersedeNever, false, "open"},
		{promotion.SupersedeOpen, true, "open"}, // somebody's commits are on it
	} {
		p := pt.Pipeline("default", pt.Stage("prod", "auto"))
		p.Stages[0].Supersede = c.policy
		w := pt.NewWorld(p)
		w.Take(pt.Push(pt.SHA("c1")))
		if c.foreign {
			w.PushTo("prod", "monalisa", pt.SHA("by hand"))
		}
		w.Tip = pt.SHA("c2")
		loseAll(w, p)
		if got := w.Pulls[0].State; got != c.want {
			t.Errorf("%s, somebody pushed to it: %t: it is %s, want %s", c.policy, c.foreign, got, c.want)
		}
	}
}

// What each stage holds, and held before, is known again with the freight's order.
func TestWhatStagesHeldIsKnownAgain(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "commit", "after:dev"))
	w := pt.NewWorld(p)
	var freight []string
	for i, c := range []string{"c1", "c2", "c3"} {
		w.Now = w.Now.Add(time.Minute)
		w.Take(pt.Push(pt.SHA(c)))
		if freight = append(freight, w.Last("dev").Freight); i < 2 {
			w.Say("octocat", "/promote prod")
		}
	}
	w.Tip = pt.SHA("c3")
	w.Now = w.Now.Add(time.Minute)
	before := w.State.Pipelines["default"]
	loseAll(w, p)
	now := w.State.Pipelines["default"]
	for stage, st := range before.Stages {
		got := now.Stages[stage]
		if got == nil || got.Current == nil || got.Current.Freight != st.Current.Freight || got.Current.Commit != st.Current.Commit || len(got.Before) != len(st.Before) {
			t.Errorf("%s holds %+v, want %+v", stage, got, st)
		}
	}
	for _, f := range before.Freight {
		if got := w.State.FreightByID("default", f.ID); got == nil || got.Number != f.Number {
			t.Errorf("%s is %+v", f.Title(), got)
		}
	}
	if now.NextNumber != before.NextNumber {
		t.Errorf("the next freight has number %d, want %d", now.NextNumber+1, before.NextNumber+1)
	}
	w.Say("octocat", "/rollback prod")
	if got := w.Last("prod"); got.Freight != freight[0] || got.Priority != promotion.PriorityRollback || got.Phase != promotion.PhaseSucceeded {
		t.Errorf("rolled back to %+v, want %s", got, freight[0][:7])
	}
}

// Freight that was found for the first time since the loss is newer than all that was.
func TestFreightOfAfterTheLossIsNewer(t *testing.T) {
	w, first, p := overtaken(t, "auto")
	loseAll(w, p)
	all := w.State.Pipelines["default"].Freight
	if len(all) != 2 || all[0].ID != first.Freight || all[0].Number != 1 || all[1].Number != 2 {
		t.Errorf("the freight is %+v", all)
	}
}

// A pull request that somebody closed was a no: it is not proposed again by itself.
func TestWhatWasClosedIsNotProposedAgain(t *testing.T) {
	w, first, p := overtaken(t, "auto")
	w.Tip = pt.SHA("c1")
	w.End("prod", "closed")
	loseAll(w, p)
	if all := w.All("prod"); len(all) != 0 || len(w.Pulls) != 1 {
		t.Errorf("%s was refused; now there are %d promotions and %d pull requests", first.Name, len(all), len(w.Pulls))
	}
}

// What the config has no place for any more is ended and cleaned up; where the config
// cannot be read that is not known, and everything stays until it can.
func TestTracesWaitForAConfigThatCanBeRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		then   func(*promotion.Pipeline) promotion.ConfigRead
		pull   string
		phase  promotion.Phase
		broken bool
	}{
		{"it can be read again", func(p *promotion.Pipeline) promotion.ConfigRead { return pt.Config(p) }, "open", promotion.PhaseWaiting, true},
		{"its stage is gone", func(*promotion.Pipeline) promotion.ConfigRead {
			return pt.Config(pt.Pipeline("default", pt.Stage("dev")))
		}, "closed", promotion.PhaseAborted, true},
		{"the stage was gone before", func(*promotion.Pipeline) promotion.ConfigRead {
			return pt.Config(pt.Pipeline("default", pt.Stage("dev")))
		}, "closed", promotion.PhaseAborted, false},
		{"the file is gone", func(*promotion.Pipeline) promotion.ConfigRead {
			return pt.Config(pt.Pipeline("other", pt.Stage("dev")))
		}, "closed", promotion.PhaseAborted, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, first, p := overtaken(t, "auto")
			w.State = &promotion.State{Version: promotion.StateVersion, Repo: pt.Repo, Issue: 1}
			if c.broken {
				w.Take(promotion.ConfigRead{Broken: map[string][]promotion.Problem{"default": {{Text: "no YAML"}}}}, promotion.Rebuilt{})
				if w.Pulls[0].State != "open" || len(w.All("prod")) != 0 {
					t.Fatalf("the pull request is %s while nobody can read the config", w.Pulls[0].State)
				}
				w.Take(c.then(p))
			} else {
				w.Take(c.then(p), promotion.Rebuilt{})
			}
			got := w.State.Promotion(first.Name)
			if w.Pulls[0].State != c.pull || got == nil || got.Phase != c.phase || len(w.Commits) != map[string]int{"open": 1}[c.pull] {
				t.Errorf("the pull request is %s, and the promotion %+v", w.Pulls[0].State, got)
			}
		})
	}
}

// A command on a promotion's pull request, or a review of it, that comes before that
// pull request is known again is heard when it is.
func TestWhatComesBeforeAPullRequestIsKnownAgainIsHeard(t *testing.T) {
	w, first, p := overtaken(t, "auto")
	p.Stages[0].Gates.Approvals = &promotion.Approvals{Count: 2}
	number := first.PullRequest.Number
	on := func(id int64, number int, line string) promotion.Event {
		e := pt.Comment(id, w.Now.Add(time.Minute), line)
		body := e.Body.(promotion.Commented)
		body.Number, body.PullRequest = number, true
		e.Body = body
		return e
	}
	w.Now = w.Now.Add(time.Minute)
	review := promotion.Event{Repo: pt.Repo, Cause: "review", At: w.Now, Body: promotion.Reviewed{
		Number: number, Review: 9, State: "approved", SHA: first.PullRequest.Head, HeadBranch: first.Pushed, SameRepo: true, By: "monalisa",
	}}
	loseAll(w, p, on(71, number, "/approve"), on(72, 55, "/retry"), review)
	w.Now = w.Now.Add(time.Minute)
	w.Take()
	got := w.State.Promotion(first.Name)
	if got == nil || len(got.Approvals) != 2 || w.Reactions["71 +1"] != 1 {
		t.Errorf("it has the approvals %+v; reactions %v", got.Approvals, w.Reactions)
	}
	if w.Reactions["72 eyes"] != 0 || len(w.State.Local.Early) != 0 {
		t.Errorf("another bot's command got %v; %d still wait", w.Reactions, len(w.State.Local.Early))
	}
}

// What a commit says of its freight is believed only if it is what the commit names.
func TestFreightIsReadFromATrailer(t *testing.T) {
	f := promotion.NewFreight([]promotion.Artifact{
		{Source: "web", Kind: "image", Repo: "ghcr.io/acme/web", Tag: "1.4.2", Digest: "sha256:ab", Title: "Fixes #12, @octocat"},
		{Source: "config", Kind: "git", Repo: "acme/platform", Branch: "main", Commit: pt.SHA("c1"), Author: "octocat"},
	}, 17, pt.Start)
	p := &promotion.Promotion{Name: "prod.x.y", Pipeline: "default", Stage: "prod", Freight: f.ID}
	message := "Promote\n\n" + p.Trailers(f)
	got := promotion.CarriedFreight(message)
	if got == nil || got.ID != f.ID || got.Number != 17 || !got.CreatedAt.Equal(pt.Start) || len(got.Artifacts) != 2 {
		t.Fatalf("read %+v from %s", got, message)
	}
	if strings.Contains(message, "#12") || strings.Contains(message, "@octocat") {
		t.Errorf("others' words are in our commit: %s", message)
	}
	padded := func(length int) string { // the same in so many bytes
		have := len(promotion.Trailer(message, promotion.TrailerArtifacts))
		return strings.Replace(message, `{"number"`, "{"+strings.Repeat(" ", length-have)+`"number"`, 1)
	}
	if got := promotion.CarriedFreight(padded(16 << 10)); got == nil || got.ID != f.ID {
		t.Errorf("as long as it may be: read %+v", got)
	}
	for name, forged := range map[string]string{
		"too long":        padded(16<<10 + 1),
		"another tag":     strings.Replace(message, "1.4.2", "6.6.6", 1),
		"another freight": strings.Replace(message, f.ID, pt.SHA("other"), 1),
		"a mad number":    strings.Replace(message, `"number":17`, `"number":9000000000000000000`, 1),
		"no JSON":         strings.Replace(message, `{"number"`, `{"numb`, 1),
		"no artifacts":    "Promote\n\nStagecoach-Freight: " + promotion.FreightID(nil) + "\nStagecoach-Artifacts: {}\n",
		"none":            "Promote",
	} {
		if got := promotion.CarriedFreight(forged); got != nil {
			t.Errorf("%s: read %+v", name, got)
		}
	}
}

// A branch that was pushed and had no pull request yet: what people changed on its base
// meanwhile is looked at when there is one, as it would have been without the loss.
func TestABranchThatIsTakenOverIsComparedWithItsBase(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("prod", "auto"))
	w := pt.NewWorld(p)
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 3 }
	w.Take(pt.Push(pt.SHA("c1")))
	if len(w.Made) != 1 || len(w.Pulls) != 0 {
		t.Fatalf("%d pushes and %d pull requests, want a branch alone", len(w.Made), len(w.Pulls))
	}
	w.Hold, w.Tip = nil, pt.SHA("by hand")
	w.Conflicts = func(*promotion.Promotion) []string { return []string{"envs/prod/kustomization.yaml"} }
	w.Overwrites = w.Conflicts
	loseAll(w, p)
	all := w.All("prod")
	i := slices.IndexFunc(all, func(p *promotion.Promotion) bool { return p.Phase == promotion.PhaseWaiting })
	if i < 0 || all[i].PullRequest == nil || all[i].Clash == nil {
		t.Errorf("%v, want a pull request that says that it conflicts", w.Phases("prod"))
	}
}

// What was lost stays lost when the first look at it fails and the ledger is written
// meanwhile: the next look asks GitHub for all of it too. With a ledger none does.
func TestALookAfterTheLossThatFailsAsksForAllAgain(t *testing.T) {
	for _, revision := range []int64{0, 7} {
		p := pt.Pipeline("default", pt.Stage("prod", "auto"))
		w, looks := pt.NewWorld(p), 0
		w.State = &promotion.State{Version: promotion.StateVersion, Repo: pt.Repo, Issue: 1, Revision: revision}
		w.Fault = func(e promotion.Effect) pt.Fault {
			if e.Kind != promotion.KindAdopt {
				return pt.Well
			}
			if looks++; e.Unknown != (revision == 0) {
				t.Errorf("look %d at the revision %d, of a store that was found at %d: unknown is %v", looks, w.State.Revision, revision, e.Unknown)
			}
			w.State.Revision++ // the ledger was written
			if looks < 3 {
				return pt.NotDone
			}
			return pt.Well
		}
		w.Take(pt.Config(p), promotion.Rebuilt{})
		w.Sleep(time.Hour)
		if looks != 3 {
			t.Errorf("%d looks, want 3", looks)
		}
	}
}

// What is longer than anybody reads is not written, also where JSON has six bytes for one
// of the repository's name.
func TestFreightThatIsTooLongForATrailer(t *testing.T) {
	for repeat, written := range map[int]bool{2000: true, 3000: false} {
		f := promotion.NewFreight([]promotion.Artifact{{Source: "web", Kind: "image", Repo: strings.Repeat("<", repeat), Tag: "1"}}, 1, pt.Start)
		p := &promotion.Promotion{Name: "prod.x.y", Pipeline: "default", Stage: "prod", Freight: f.ID}
		message := "Promote\n\n" + p.Trailers(f)
		if got := promotion.CarriedFreight(message); (got != nil) != written || strings.Contains(message, promotion.TrailerArtifacts) != written {
			t.Errorf("%d characters: a message of %d bytes, of which was read %v", repeat, len(message), got != nil)
		}
	}
}
