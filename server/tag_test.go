package server_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// tagging is a pipeline that tags; of its steps, those are given that send things.
func tagging(value, steps string) string {
	return `version: 1
sources:
  - name: app
    git: {branch: main, paths: ['app/**']}
stages:
  - name: dev
    promote: auto
    deliver: none
    steps:
      - uses: yaml-update
        config: {path: envs/dev/values.yaml, updates: [{key: image.tag, value: "` + value + `"}]}
      - uses: git-commit
` + steps
}

const (
	newValue   = "${{ freight.app.commit[:7] }}"
	pushBranch = "      - {uses: git-push, as: push}\n"
	tagIt      = `      - uses: git-tag
        as: tag
        config: {tag: released/dev, message: "Released to ${{ ctx.stage }}"}
      - uses: git-push
        as: sent
        config: {tag: released/dev}
      - uses: fail
        if: success() && outputs.sent.commit != outputs.tag.commit
        config: {message: the outputs differ}
`
)

func taggingWorld(t *testing.T, pipeline string) *servertest.World {
	files := servertest.Files()
	files[".github/stagecoach.yml"] = pipeline
	w := servertest.New(t, files)
	w.Patience = 3 * time.Minute
	return w
}

// wantTagged compares the tag with the commit of the promotion.
func wantTagged(t *testing.T, w *servertest.World) {
	t.Helper()
	log, err := w.Sim.Log(w.Repo, "main")
	if err != nil || len(log) != 2 {
		t.Fatalf("main holds %d commits, %v", len(log), err)
	}
	if at, _ := w.Sim.Resolve(w.Repo, "refs/tags/released/dev"); at != log[0].SHA {
		t.Errorf("the tag names %q, main is at %s", at, log[0].SHA)
	}
	if branches := w.Sim.Branches(w.Repo); len(branches) != 1 {
		t.Errorf("branches %v", branches)
	}
}

// ended waits until dev's only promotion has ended, and returns it.
func ended(w *servertest.World) (last *promotion.Promotion) {
	w.TB.Helper()
	w.Until("dev's promotion has ended", func() bool {
		s, err := w.Ledger()
		if err != nil || s.Pipelines["default"] == nil {
			return false
		}
		ps := s.Pipelines["default"].Promotions
		i := slices.IndexFunc(ps, func(p *promotion.Promotion) bool { return p.Phase.Terminal() })
		if i >= 0 {
			last = ps[i]
		}
		return i >= 0
	})
	return last
}

// TestAPromotionTags tags what it pushed, what it did not push, and, with nothing to
// change, what stands there.
func TestAPromotionTags(t *testing.T) {
	for name, c := range map[string]struct {
		pipeline string
		commits  int // on main
		ahead    bool
	}{
		"what it pushed":      {tagging(newValue, pushBranch+tagIt), 2, false},
		"a commit of its own": {tagging(newValue, tagIt), 1, true},
		"what stands there":   {tagging("initial", pushBranch+tagIt), 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := taggingWorld(t, c.pipeline)
			w.StartServer()
			w.InstallApp()
			if p := ended(w); p.Phase != promotion.PhaseSucceeded {
				t.Fatalf("it is %s: %s", p.Phase, p.Message)
			}
			log, err := w.Sim.Log(w.Repo, "main")
			if err != nil || len(log) != c.commits {
				t.Fatalf("main holds %d commits, %v", len(log), err)
			}
			tagged, err := w.Sim.Log(w.Repo, "released/dev")
			if err != nil {
				t.Fatal(err)
			}
			if c.ahead {
				tagged = tagged[1:]
			}
			if tagged[0].SHA != log[0].SHA {
				t.Errorf("the tag stands on %s, main is at %s", tagged[0].SHA, log[0].SHA)
			}
		})
	}
}

// TestATagThatIsThere has somebody make the tag first: at another commit the
// promotion fails in words, and the tag stays.
func TestATagThatIsThere(t *testing.T) {
	t.Parallel()
	w := taggingWorld(t, tagging(newValue, pushBranch+tagIt))
	base, _ := w.Sim.Resolve(w.Repo, "main")
	if _, err := w.Sim.As("octocat").Publish(w.Repo, "released/dev", false); err != nil {
		t.Fatal(err)
	}
	w.StartServer()
	w.InstallApp()
	p := ended(w)
	if p.Phase != promotion.PhaseFailed || !strings.Contains(p.Message, "the tag released/dev is there already, at "+base[:7]) || !strings.Contains(p.Message, "/retry") {
		t.Errorf("it is %s: %s", p.Phase, p.Message)
	}
	if at, _ := w.Sim.Resolve(w.Repo, "refs/tags/released/dev"); at != base {
		t.Errorf("the tag was moved to %s", at)
	}
}

// TestKilledAroundATag kills the product before and after the pushes of the branch
// and of the tag, also with its disk. The next life makes neither twice, and both.
func TestKilledAroundATag(t *testing.T) {
	type point struct {
		name string
		nth  int
		when ghsim.When
		lost bool // the data directory goes too
	}
	all := []point{
		{"before the branch's push", 1, ghsim.Before, false}, {"after the branch's push", 1, ghsim.After, false},
		{"before the tag's push", 2, ghsim.Before, false}, {"after the tag's push", 2, ghsim.After, false},
		{"before the tag's push, disk lost", 2, ghsim.Before, true}, {"after the tag's push, disk lost", 2, ghsim.After, true},
	}
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.name
	}
	points(t, names, 12, func(t *testing.T, i int) {
		w := taggingWorld(t, tagging(newValue, pushBranch+tagIt))
		w.StartProcess()
		happened := w.KillAt(servertest.KillSpec{Nth: all[i].nth, Route: pushRoute, When: all[i].when})
		w.KeepUp(servertest.Product, func() {
			if all[i].lost {
				forget(t, w)
			}
		}, "serve")
		w.InstallApp()
		if p := ended(w); p.Phase != promotion.PhaseSucceeded {
			t.Errorf("it is %s: %s", p.Phase, p.Message)
		}
		wantTagged(t, w)
		if !happened() {
			t.Error("nothing was killed")
		}
	})
}
