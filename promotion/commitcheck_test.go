package promotion_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// shown is dev, which promotes itself, and prod by pull request; the source shows on
// its commits where they are.
func shown() *promotion.Pipeline {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "after:dev"))
	p.Sources[0].Git.CheckRun = true
	return p
}

// toldOf is what the one check run on a commit was told to say, in order.
func toldOf(t *testing.T, w *pt.World, commit string) []string {
	t.Helper()
	runs := w.Shown[pt.SHA(commit)]
	if len(runs) > 1 {
		t.Fatalf("%d check runs on %s", len(runs), commit)
	}
	if len(runs) == 0 {
		return nil
	}
	return runs[0].Writes
}

func tells(t *testing.T, w *pt.World, commit string, want ...string) {
	t.Helper()
	for i := range want {
		want[i] += " "
	}
	if got := toldOf(t, w, commit); !slices.Equal(got, want) {
		t.Errorf("%s was told %q, want %q", commit, got, want)
	}
}

func TestACommitShowsWhereItIs(t *testing.T) {
	w := pt.NewWorld(shown())
	w.Take(pt.Push(pt.SHA("c1")))
	tells(t, w, "c1", "dev:there prod:")
	w.Say("octocat", "/promote prod")
	tells(t, w, "c1", "dev:there prod:", "dev:there prod:open")
	w.End("prod", "merged")
	tells(t, w, "c1", "dev:there prod:", "dev:there prod:open", "dev:there prod:there")
	before := w.State
	for range 3 {
		w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Woke{}})
	}
	tells(t, w, "c1", "dev:there prod:", "dev:there prod:open", "dev:there prod:there")
	if before.Pipelines["default"].Shown[pt.SHA("c1")] != w.State.Pipelines["default"].Shown[pt.SHA("c1")] {
		t.Error("it is noted anew without news")
	}
}

// What newer freight brings is there too: a commit need not come by itself.
func TestNewerFreightBringsAnOlderCommit(t *testing.T) {
	w := pt.NewWorld(shown())
	w.Take(pt.Push(pt.SHA("c1")))
	w.Take(pt.Push(pt.SHA("c2")))
	tells(t, w, "c1", "dev:there prod:") // that dev has something newer is no news
	w.Say("octocat", "/promote prod")
	tells(t, w, "c1", "dev:there prod:")
	w.End("prod", "merged")
	tells(t, w, "c1", "dev:there prod:", "dev:there prod:there")
	w.Say("octocat", "/rollback dev app="+pt.SHA("c1")[:7])
	tells(t, w, "c2", "dev:there prod:", "dev:there prod:open", "dev:there prod:there", "dev:undone prod:there")
	tells(t, w, "c1", "dev:there prod:", "dev:there prod:there")
}

func TestCommitsThatNobodyPromotesShowNothing(t *testing.T) {
	for name, change := range map[string]func(*promotion.Pipeline){
		"nobody promotes":      func(p *promotion.Pipeline) { p.Stages[0].Auto = false },
		"nobody asks for them": func(p *promotion.Pipeline) { p.Sources[0].Git.CheckRun = false },
	} {
		p := shown()
		change(p)
		w := pt.NewWorld(p)
		for _, c := range []string{"c1", "c2", "c3"} {
			w.Take(pt.Push(pt.SHA(c)))
		}
		if len(w.Shown) > 0 {
			t.Errorf("%s: %v", name, w.Shown)
		}
	}
	p := shown()
	p.Stages[0].Auto = false
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	w.Take(pt.Push(pt.SHA("c2")))
	w.Say("octocat", "/promote dev")
	tells(t, w, "c2", "dev:there prod:")
	tells(t, w, "c1")
}

func TestACommitShowsHowItFares(t *testing.T) {
	p := shown()
	p.Stages[0].Verify = &promotion.Verify{Checks: []string{"e2e"}}
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	w.Check(w.Landing("dev"), "e2e", "failure")
	w.Check(w.Landing("dev"), "e2e", "success")
	tells(t, w, "c1", "dev:verifying prod:", "dev:failed prod:", "dev:there prod:")
}

// Whatever goes wrong with it, there is one check run on a commit, and it says in the
// end what is.
func TestThereIsOneCheckRunOnACommit(t *testing.T) {
	for name, fault := range map[string]pt.Fault{"not done": pt.NotDone, "answer lost": pt.AnswerLost, "crash": pt.Crash, "crash first": pt.CrashFirst} {
		for at := range 3 {
			w, n := pt.NewWorld(shown()), 0
			w.Fault = func(e promotion.Effect) pt.Fault {
				if e.Kind == promotion.KindCommitCheck {
					if n++; n == at+1 {
						return fault
					}
				}
				return pt.Well
			}
			rest := func() { w.Sleep(promotion.KindCommitCheck.Lag() * 2) }
			w.Take(pt.Push(pt.SHA("c1")))
			rest()
			w.Say("octocat", "/promote prod")
			rest()
			w.End("prod", "merged")
			rest()
			if got := toldOf(t, w, "c1"); len(got) == 0 || got[len(got)-1] != "dev:there prod:there " {
				t.Errorf("%s at write %d: %q", name, at+1, got)
			}
		}
	}
}

// With the store lost, and with what was written after the ledger, the check run that
// is there is found and goes on.
func TestALostStoreFindsTheCheckRunOfACommit(t *testing.T) {
	for name, lose := range map[string]func(w *pt.World){
		"all of it was noted":        func(*pt.World) {},
		"the ledger was not written": func(w *pt.World) { w.State.Pipelines["default"].Shown[pt.SHA("c1")] = promotion.CommitCheck{} },
		"an older binary dropped it": func(w *pt.World) { w.State.Pipelines["default"].Shown = nil },
		"it says what was before now": func(w *pt.World) {
			w.State.Pipelines["default"].Shown[pt.SHA("c1")] = promotion.CommitCheck{ID: 1, Digest: "old"}
		},
	} {
		w := pt.NewWorld(shown())
		w.Tip = pt.SHA("c1")
		w.Take(pt.Push(pt.SHA("c1")))
		lose(w)
		w.LoseStore(shown())
		w.Say("octocat", "/promote prod")
		w.End("prod", "merged")
		got := toldOf(t, w, "c1")
		if len(got) == 0 || got[len(got)-1] != "dev:there prod:there " {
			t.Errorf("%s: %q", name, got)
		}
		if name == "all of it was noted" && len(got) != 3 {
			t.Errorf("it was told again what it said: %q", got)
		}
	}
}

// Without the permission it is left out, and that is said once; when the owner has
// accepted it, it says what is then.
func TestCommitChecksThatMayNotBeWritten(t *testing.T) {
	w, tries := pt.NewWorld(shown()), 0
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind != promotion.KindCommitCheck {
			return nil
		}
		tries++
		return &promotion.MissingPermission{Needed: "checks=write", Doing: "write the check run"}
	}
	for _, c := range []string{"c1", "c2", "c3"} {
		w.Take(pt.Push(pt.SHA(c)))
	}
	told := 0
	for _, p := range w.State.Problems {
		if strings.Contains(p.Text, "checks=write") {
			told++
		}
	}
	if tries != 1 || told != 1 || len(w.State.Local.Pending) != 0 {
		t.Errorf("tried %d times, said %d times, %d effects wait; want 1, 1 and none", tries, told, len(w.State.Local.Pending))
	}
	w.Refuse = nil
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Unblocked{}})
	tells(t, w, "c1", "dev:there prod:")
	tells(t, w, "c3", "dev:there prod:")
	if len(w.State.Problems) > 0 {
		t.Errorf("it is still said: %v", w.State.Problems)
	}
}

// One that cannot be written is said, and tried again when it should say something else.
func TestCommitChecksThatCannotBeWritten(t *testing.T) {
	w, tries := pt.NewWorld(shown()), 0
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind != promotion.KindCommitCheck {
			return nil
		}
		tries++
		return promotion.Terminal(pt.ErrLost)
	}
	w.Take(pt.Push(pt.SHA("c1")))
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Woke{}})
	if tries != 1 || len(w.State.Problems) != 1 || !strings.Contains(w.State.Problems[0].Text, "could not be written") {
		t.Errorf("tried %d times, want once: %v", tries, w.State.Problems)
	}
	w.Refuse = nil
	w.Say("octocat", "/promote prod")
	tells(t, w, "c1", "dev:there prod:open")
}

// That a source shows its commits, or not any more, leaves what is known of it alone.
func TestCommitChecksCanBeSwitchedOnAndOff(t *testing.T) {
	off := shown()
	off.Sources[0].Git.CheckRun = false
	w := pt.NewWorld(off)
	w.Take(pt.Push(pt.SHA("c1")))
	tells(t, w, "c1")
	w.Take(pt.Config(shown()))
	tells(t, w, "c1", "dev:there prod:")
	if w.State.Pipelines["default"].Artifacts["app"].Commit != pt.SHA("c1") {
		t.Error("its artifact was forgotten")
	}
	w.Take(pt.Config(off))
	w.Say("octocat", "/promote prod")
	tells(t, w, "c1", "dev:there prod:")
	w.Take(pt.Config(shown()))
	tells(t, w, "c1", "dev:there prod:", "dev:there prod:open")
}

// A write whose answer is missing may have been done: when there is nothing to say for a
// while, and then something again, it is looked for. So also when the answer of a later
// write is missing, and what it should say changes back.
func TestACheckRunWithoutAnswerIsLookedForAfterASwitch(t *testing.T) {
	off := shown()
	off.Sources[0].Git.CheckRun = false
	for at := range 2 {
		w, n := pt.NewWorld(shown()), 0
		w.Fault = func(e promotion.Effect) pt.Fault {
			if e.Kind == promotion.KindCommitCheck {
				if n++; n == at+1 {
					return pt.AnswerLost
				}
			}
			return pt.Well
		}
		w.Take(pt.Push(pt.SHA("c1")))
		if at == 1 {
			w.Say("octocat", "/promote prod") // the second write says that it is open
		}
		w.Take(pt.Config(off))
		w.Sleep(promotion.KindCommitCheck.Lag() * 2)
		if at == 1 {
			w.End("prod", "closed")
		}
		w.Take(pt.Config(shown()))
		w.Sleep(promotion.KindCommitCheck.Lag() * 2)
		if got := toldOf(t, w, "c1"); len(got) == 0 || got[len(got)-1] != "dev:there prod: " {
			t.Errorf("the answer of write %d is lost: it is told %q", at+1, got)
		}
	}
}

// Sources that share a commit share its check run; freight that is forgotten takes
// what is known of it along.
func TestWhatIsKnownOfCommitsIsBounded(t *testing.T) {
	w := pt.NewWorld(shown())
	for i := range 60 {
		w.Take(pt.Push(pt.SHA(string(rune('A' + i)))))
	}
	ps := w.State.Pipelines["default"]
	if len(ps.Shown) > len(ps.Freight) {
		t.Errorf("%d commits are known of %d pieces of freight", len(ps.Shown), len(ps.Freight))
	}
	for commit, runs := range w.Shown {
		if len(runs) != 1 || len(runs[0].Writes) != 1 {
			t.Errorf("%.7s: %v", commit, runs)
		}
	}
}

func TestNamesOfCommitChecks(t *testing.T) {
	seen := map[string]bool{}
	for _, pipeline := range []string{"default", "shop"} {
		for _, elsewhere := range []bool{false, true} {
			name := promotion.CommitCheckName(pt.Repo, pipeline, elsewhere)
			if seen[name] || elsewhere != strings.Contains(name, "acme/gitops") || strings.HasPrefix(name, "stagecoach/") {
				t.Errorf("%s, %v: %q", pipeline, elsewhere, name)
			}
			seen[name] = true
		}
	}
}

// What a check run says is known only of the commit that it stands on, and not while an
// earlier try may have written something else.
func TestWhatACheckRunIsKnownToSay(t *testing.T) {
	w := pt.NewWorld(shown())
	w.Take(pt.Push(pt.SHA("c1")))
	says := w.State.Pipelines["default"].Shown[pt.SHA("c1")].Digest
	e := promotion.Effect{Pipeline: "default", SHA: pt.SHA("c1")}
	where := w.State.Whereabouts("default", pt.SHA("c1"))
	if where == nil || where.Digest() != says {
		t.Fatalf("%+v, and it says %q", where, says)
	}
	for what, c := range map[string]struct {
		change func(e *promotion.Effect)
		known  bool
	}{
		"as it was written":            {func(*promotion.Effect) {}, true},
		"another try may have written": {func(e *promotion.Effect) { e.Look = true }, false},
		"another commit":               {func(e *promotion.Effect) { e.SHA = pt.SHA("c2") }, false},
		"a pipeline that is not there": {func(e *promotion.Effect) { e.Pipeline = "other" }, false},
	} {
		one := e
		c.change(&one)
		if known := w.State.Shows(one, where); known != c.known {
			t.Errorf("%s: known %v, want %v", what, known, c.known)
		}
	}
}
