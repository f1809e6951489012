package promotion_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

func three() *promotion.Pipeline {
	return pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("staging", "auto", "after:dev"), pt.Stage("prod", "after:staging"))
}

func TestAChangeTravelsThroughThreeStages(t *testing.T) {
	w := pt.NewWorld(three())
	w.Take(pt.Push(pt.SHA("c1")))
	if len(w.Landed) != 1 || len(w.Pulls) != 1 {
		t.Fatalf("dev landed %v, staging has %d pull requests; want one each", w.Landed, len(w.Pulls))
	}
	staging := w.All("staging")[0]
	if staging.Phase != promotion.PhaseWaiting || staging.Message != "Waiting for merge: all gates are open" {
		t.Fatalf("staging is %s: %s", staging.Phase, staging.Message)
	}
	w.End("staging", "merged")
	if got := w.Phases("staging"); !slices.Equal(got, []promotion.Phase{promotion.PhaseSucceeded}) {
		t.Fatalf("staging after the merge: %v", got)
	}
	if len(w.All("prod")) != 0 {
		t.Fatal("prod is manual, and yet something was promoted there")
	}
	w.Take(pt.Comment(9, w.Now, "/promote prod"))
	w.End("prod", "merged")
	ps := w.State.Pipelines["default"]
	for _, stage := range []string{"dev", "staging", "prod"} {
		if st := ps.Stages[stage]; st == nil || st.Current == nil || st.Current.Freight != ps.Freight[0].ID {
			t.Errorf("%s does not hold the change", stage)
		}
	}
	if len(w.Commits) != 0 {
		t.Errorf("branches left behind: %v", w.Commits)
	}
	for key, n := range w.Checks {
		if n != 1 {
			t.Errorf("%d check runs for %s", n, key)
		}
	}
	if w.Reactions["9 eyes"] != 1 || w.Reactions["9 rocket"] != 1 || len(w.Replies) != 0 {
		t.Errorf("reactions %v, replies %v", w.Reactions, w.Replies)
	}
}

func TestAdvanceIsPure(t *testing.T) {
	w := pt.NewWorld(three())
	w.Take(pt.Push(pt.SHA("c1")))
	before, _ := json.Marshal(w.State)
	inputs := []promotion.Input{
		pt.Push(pt.SHA("c2")), pt.Comment(3, w.Now, "/promote prod", "/abort staging"), pt.Config(pt.Pipeline("default", pt.Stage("dev", "commit"))),
		promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "closed"}}, promotion.Rebuilt{},
	}
	one := promotion.Advance(w.State, inputs, w.Now.Add(time.Minute))
	two := promotion.Advance(w.State, inputs, w.Now.Add(time.Minute))
	if after, _ := json.Marshal(w.State); string(before) != string(after) {
		t.Errorf("the given state changed:\n%s\n%s", before, after)
	}
	if !reflect.DeepEqual(one, two) {
		t.Error("the same arguments gave two decisions")
	}
}

func TestTheSameInputAgainChangesNothing(t *testing.T) {
	w := pt.NewWorld(three())
	inputs := []promotion.Input{pt.Push(pt.SHA("c1")), pt.Comment(5, w.Now, "/promote dev "+pt.SHA("c1")[:8]), pt.Config(three())}
	w.Take(inputs...)
	before, _ := json.Marshal(w.State)
	for range 3 {
		w.Take(inputs...)
	}
	if after, _ := json.Marshal(w.State); string(before) != string(after) {
		t.Errorf("repeated inputs changed the state:\n%s\n%s", before, after)
	}
}

func TestTwentyAtOnceRunOneByOneAlsoWhenEachFails(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprint("fails=", fails), func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "commit", "never")))
			var order []string
			w.StepResult = func(e promotion.Effect) promotion.Result {
				order = append(order, e.Promotion)
				started := 0
				for _, p := range w.All("dev") {
					if p.Phase.Started() {
						started++
					}
				}
				if started != 1 {
					t.Errorf("%d run at once", started)
				}
				if fails {
					return promotion.Result{Err: promotion.Terminal(fmt.Errorf("no key image.tag"))}
				}
				return promotion.Result{Phase: promotion.StepSucceeded, Mounts: []promotion.Mount{{Path: ".", Branch: "main", Commit: pt.SHA("main")}}}
			}
			var inputs []promotion.Input
			for i := range 20 {
				inputs = append(inputs, pt.Push(pt.SHA(fmt.Sprint("c", i))))
			}
			for i := range 20 {
				inputs = append(inputs, pt.Comment(int64(100+i), pt.Start.Add(time.Duration(i)*time.Second), "/promote dev "+pt.SHA(fmt.Sprint("c", i))[:10]))
			}
			w.Take(inputs...)
			if len(order) != 20 || !slices.IsSorted(order) {
				t.Errorf("ran %d, sorted by creation: %v", len(order), slices.IsSorted(order))
			}
			if w.State.Live() {
				t.Error("something still waits")
			}
		})
	}
}

func TestALongLivedPromotionKeepsItsPlace(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	w.Take(pt.Push(pt.SHA("c1")))
	for i := range 5 {
		w.Sleep(24 * time.Hour)
		w.Take(pt.Push(pt.SHA(fmt.Sprint("later", i))))
	}
	got := w.Phases("prod")
	want := []promotion.Phase{promotion.PhaseWaiting, "superseded", "superseded", "superseded", "superseded", promotion.PhaseQueued}
	if !slices.Equal(got, want) {
		t.Fatalf("prod: %v, want %v", got, want)
	}
	for id, n := range w.Ran {
		if n != 1 {
			t.Errorf("%s ran %d times", id, n)
		}
	}
	w.End("prod", "merged")
	if got := w.Phases("prod"); got[0] != promotion.PhaseSucceeded || got[5] != promotion.PhaseWaiting {
		t.Errorf("after the merge: %v", got)
	}
}

func TestWakingAWaitingOneRunsNothing(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	w.Take(pt.Push(pt.SHA("c1")))
	before := fmt.Sprint(w.Ran, w.Checks, w.Pulls, w.Written)
	for range 20 {
		w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Woke{}})
	}
	if after := fmt.Sprint(w.Ran, w.Checks, w.Pulls, w.Written); before != after {
		t.Errorf("waking changed %s to %s", before, after)
	}
	if !w.Wake.IsZero() {
		t.Errorf("a promotion that waits for a person wants to be woken at %s", w.Wake)
	}
}

func TestEndings(t *testing.T) {
	cases := []struct {
		name   string
		story  func(*pt.World)
		phase  promotion.Phase
		says   string
		pulls  string // state of the first pull request, if any
		checks int
	}{
		{"merged", func(w *pt.World) { w.End("prod", "merged") }, promotion.PhaseSucceeded, "Landed in", "merged", 2},
		{"closed", func(w *pt.World) { w.End("prod", "closed") }, promotion.PhaseFailed, "closed without a merge", "closed", 1},
		{"aborted", func(w *pt.World) { w.Take(pt.Comment(1, w.Now, "/abort prod")) }, promotion.PhaseAborted, "Aborted by octocat", "closed", 1},
		{"stage gone", func(w *pt.World) { w.Take(pt.Config(pt.Pipeline("default", pt.Stage("test")))) }, promotion.PhaseAborted, "no longer in the config", "closed", 1},
		{"file gone", func(w *pt.World) { w.Take(pt.Config()) }, promotion.PhaseAborted, "no longer in the config", "closed", 1},
		{"file broken", func(w *pt.World) {
			w.Take(promotion.ConfigRead{Broken: map[string][]promotion.Problem{"default": {{Text: "not YAML"}}}})
		}, promotion.PhaseWaiting, "Waiting for merge", "open", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
			w.Take(pt.Push(pt.SHA("c1")))
			c.story(w)
			p := w.All("prod")[0]
			if p.Phase != c.phase || !strings.Contains(p.Message, c.says) {
				t.Errorf("%s: %q, want %s: …%s…", p.Phase, p.Message, c.phase, c.says)
			}
			if w.Pulls[0].State != c.pulls {
				t.Errorf("pull request %s, want %s", w.Pulls[0].State, c.pulls)
			}
			if len(w.Checks) != c.checks {
				t.Errorf("check runs %v, want %d", w.Checks, c.checks)
			}
			if p.Phase.Terminal() && len(w.Commits) != 0 {
				t.Errorf("branches left: %v", w.Commits)
			}
		})
	}
}

func TestABrokenConfigStopsNewPromotionsOnly(t *testing.T) {
	w := pt.NewWorld(three())
	broken := promotion.ConfigRead{Broken: map[string][]promotion.Problem{"default": {{Text: "not YAML", File: ".github/stagecoach.yml"}}}}
	w.Take(broken, pt.Push(pt.SHA("c1")))
	if n := len(w.All("dev")); n != 0 {
		t.Fatalf("%d promotions started from a config that cannot be read", n)
	}
	w.Take(pt.Comment(4, w.Now, "/promote dev"))
	if len(w.Replies) != 1 || !strings.Contains(w.Replies[0], "cannot be read: not YAML") {
		t.Errorf("the command was answered %q", w.Replies)
	}
	w.Take(pt.Config(three()))
	if n := len(w.All("dev")); n != 1 {
		t.Errorf("after the file was mended %d promotions, want 1", n)
	}
}

func TestErrorsAreSortedByTheirKind(t *testing.T) {
	boom := fmt.Errorf("boom")
	cases := []struct {
		name  string
		err   error
		phase promotion.Phase
		says  string
	}{
		{"terminal", promotion.Terminal(boom), promotion.PhaseErrored, "Errored at step 1 of 5 (yaml-update): boom"},
		{"conflict", promotion.ErrConflict, promotion.PhaseErrored, "a person changed"},
		{"rate limit", promotion.RetryAfter(time.Hour, boom), promotion.PhaseWaiting, "Rate limited by GitHub until 10:00 UTC, nothing is lost"},
		{"permission", &promotion.MissingPermission{Needed: "pull_requests=write", Doing: "open the pull request"}, promotion.PhaseWaiting, "needs the permission pull_requests=write"},
		{"once", boom, promotion.PhaseRunning, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
			w.StepResult = func(promotion.Effect) promotion.Result { return promotion.Result{Err: c.err} }
			w.Take(pt.Push(pt.SHA("c1")))
			p := w.All("prod")[0]
			if p.Phase != c.phase || !strings.Contains(p.Message, c.says) {
				t.Errorf("%s: %q, want %s: %q", p.Phase, p.Message, c.phase, c.says)
			}
			if c.phase.Terminal() {
				return
			}
			w.StepResult = nil
			w.Sleep(2 * time.Hour)
			w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Unblocked{}})
			if p := w.All("prod")[0]; p.Phase != promotion.PhaseWaiting || p.PullRequest == nil {
				t.Errorf("afterwards %s: %q", p.Phase, p.Message)
			}
		})
	}
}

func TestAStepThatNeverSucceedsIsGivenUp(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	tries := 0
	w.StepResult = func(promotion.Effect) promotion.Result {
		tries++
		return promotion.Result{Err: fmt.Errorf("no route to host")}
	}
	w.Take(pt.Push(pt.SHA("c1")))
	w.Sleep(24 * time.Hour)
	if p := w.All("prod")[0]; p.Phase != promotion.PhaseErrored || tries != promotion.MaxTries {
		t.Errorf("%s after %d tries, want errored after %d", p.Phase, tries, promotion.MaxTries)
	}
	w.StepResult = nil
	w.Take(pt.Comment(8, w.Now, "/retry prod"))
	if p := w.All("prod")[0]; p.Phase != promotion.PhaseWaiting {
		t.Errorf("after /retry: %s %s", p.Phase, p.Message)
	}
}

func TestWhatAPromotionLandedMakesNoFreight(t *testing.T) {
	everything := pt.Pipeline("default", pt.Stage("prod", "auto"))
	everything.Sources[0].Git.Paths = nil
	push := func(message string, paths ...string) promotion.Event {
		e := pt.Push(pt.SHA(message))
		body := e.Body.(promotion.Pushed)
		body.Commits = []promotion.PushedCommit{{SHA: body.After, Message: message, Paths: paths}}
		e.Body = body
		return e
	}
	cases := []struct {
		name string
		push promotion.Event
		want int
	}{
		{"trailer", push("Promote\n\nStagecoach-Promotion: prod.x", "envs/prod"), 1},
		{"squash by a person", push("Promote app to prod (#100)", "envs/prod"), 1},
		{"merge by a person", push("Merge pull request #100 from acme/stagecoach/default/prod/x", "envs/prod"), 1},
		{"somebody's commit that names it", push("Revert #100", "envs/prod", "app/deploy.yaml"), 2},
		{"somebody's commit", push("Tune", "envs/prod"), 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := pt.NewWorld(everything)
			w.Take(pt.Push(pt.SHA("c1")))
			w.Take(c.push)
			if got := len(w.State.Pipelines["default"].Freight); got != c.want {
				t.Errorf("%d pieces of freight, want %d", got, c.want)
			}
		})
	}
}

func TestStagesJoinAndFanOut(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default",
		pt.Stage("eu", "auto", "commit"), pt.Stage("us", "auto"), pt.Stage("joined", "auto", "empty", "after:eu,us"),
		pt.Stage("any", "auto", "commit", "after:eu,us", "any"), pt.Stage("prod", "auto", "commit", "after:joined")))
	w.Take(pt.Push(pt.SHA("c1")))
	if len(w.All("joined")) != 0 || len(w.All("any")) != 1 {
		t.Fatalf("joined has %d, any has %d, while us waits", len(w.All("joined")), len(w.All("any")))
	}
	w.End("us", "merged")
	if got := w.Phases("prod"); !slices.Equal(got, []promotion.Phase{promotion.PhaseSucceeded}) {
		t.Errorf("prod behind the join: %v", got)
	}
}

func TestNothingToChangeSucceedsAndSaysSo(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	d := promotion.Advance(w.State, []promotion.Input{pt.Push(pt.SHA("c1"))}, w.Now)
	for range 2 {
		step := d.Effects[slices.IndexFunc(d.Effects, func(e promotion.Effect) bool { return e.Kind == promotion.KindStep })]
		r := promotion.Result{Effect: step.ID, Phase: promotion.StepSucceeded, Mounts: []promotion.Mount{{Path: ".", Branch: "main", Commit: pt.SHA("main")}}}
		r.Empty = step.Step == 1
		d = promotion.Advance(d.State, []promotion.Input{r}, w.Now)
	}
	w.State = d.State
	p := w.All("prod")[0]
	if p.Phase != promotion.PhaseSucceeded || !strings.HasPrefix(p.Message, "Nothing to change") {
		t.Fatalf("%s: %q", p.Phase, p.Message)
	}
	if len(d.Effects) != 1 || d.Effects[0].Check == nil || d.Effects[0].Check.SHA != pt.SHA("main") {
		t.Errorf("effects %+v, want one check on the tip", d.Effects)
	}
}

func TestAnAppThatIsLetGoRunsNothingUntilItIsTakenUp(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	bare := promotion.Repo{ID: 1, Owner: "acme", Name: "gitops", Installation: 7} // as installation events name it
	push := pt.Push(pt.SHA("c1"))
	push.Repo = bare
	w.Take(promotion.Event{Repo: bare, Body: promotion.LetGo{Reason: "suspended by octocat"}}, push)
	if len(w.Pulls) != 0 {
		t.Fatal("something ran for a repository that the app does not reach")
	}
	w.Take(promotion.Event{Repo: bare, Body: promotion.TakenUp{}})
	if len(w.Pulls) != 1 {
		t.Errorf("%d pull requests after it was taken up again, want 1", len(w.Pulls))
	}
}

func TestTheCheckFollowsTheHead(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "synchronize", HeadSHA: pt.SHA("by a person"), SameRepo: true}})
	if w.Checks[w.All("prod")[0].Name+"@"+pt.SHA("by a person")] != 1 {
		t.Errorf("check runs %v", w.Checks)
	}
}

func TestOnlyTipsThatMatterAreRemembered(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "commit"))
	p.Stages[0].Branch = "env/dev"
	w := pt.NewWorld(p)
	for _, branch := range []string{"main", "env/dev", "feature"} {
		e := pt.Push(pt.SHA(branch))
		body := e.Body.(promotion.Pushed)
		body.Branch = branch
		e.Body = body
		w.Take(e)
	}
	if len(w.State.Local.Tips) != 2 || w.State.Local.Tips["env/dev"] != pt.SHA("env/dev") {
		t.Errorf("tips %v", w.State.Local.Tips)
	}
	in := pt.Config(pt.Pipeline("default", pt.Stage("dev", "commit")))
	in.Tips = map[string]string{"main": pt.SHA("new"), "env/dev": pt.SHA("env/dev"), "feature": pt.SHA("x")}
	w.Take(in)
	if len(w.State.Local.Tips) != 1 || w.State.Local.Tips["main"] != pt.SHA("new") {
		t.Errorf("tips after the stage moved: %v", w.State.Local.Tips)
	}
}
