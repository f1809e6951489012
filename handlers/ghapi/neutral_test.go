package ghapi_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// neutralTask is a pull request of octocat's to a branch that the stages prod and
// staging of two pipelines write.
func (w *world) neutralTask(base string) promotion.Task {
	t := w.task(promotion.KindNeutral)
	t.Promotion = nil
	t.Effect.ID, t.Effect.Number, t.Effect.SHA, t.Effect.Branch = "neutral/3/x", 3, w.Branches(w.gitops)["main"], base
	t.State.Repo = w.repo()
	t.State.Local.Config = map[string]*promotion.Pipeline{
		"default": {Name: "default", Stages: []promotion.Stage{{Name: "prod", Branch: "env/prod"}, {Name: "dev"}}},
		"web":     {Name: "web", Stages: []promotion.Stage{{Name: "prod", Branch: "env/prod"}}},
	}
	return t
}

// neutrals are the check runs, "name conclusion".
func (w *world) neutrals() []string {
	var out []string
	for _, c := range w.CheckRuns(w.gitops) {
		out = append(out, c.Name+" "+c.Conclusion)
	}
	return out
}

func TestNeutralWhereARuleRequiresIt(t *testing.T) {
	rules := ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "stagecoach/prod"}, {Name: "e2e"}, {Name: "stagecoach/dev"}}}
	for name, require := range map[string]func(w *world) error{
		"ruleset": func(w *world) error { _, err := w.AddRuleset(w.gitops, "env/*", rules); return err },
		"classic": func(w *world) error { return w.Protect(w.gitops, "env/prod", rules) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			_, err := w.As("octocat").Commit(w.gitops, "env/prod", map[string]string{"a": "1\n"}, "The branch")
			must(t, err)
			must(t, require(w))
			w.costs("1 writes, 2 reads", func() { w.run(w.neutralTask("env/prod")) })
			if got := w.neutrals(); !slices.Equal(got, []string{"stagecoach/prod neutral"}) {
				t.Errorf("reported %q, want of the stages of that branch the one that a rule requires", got)
			}
			run := w.CheckRuns(w.gitops)[0]
			if run.Title != "Not a promotion" || !strings.Contains(run.Summary, "rule of this branch") || len(run.Actions) != 0 {
				t.Errorf("it says %+v", run)
			}
		})
	}
}

// Where no rule asks nothing is written, and what a branch requires is read once
// an hour.
func TestNeutralCostsNothingWhereNoRuleAsks(t *testing.T) {
	w := newWorld(t)
	w.costs("0 writes, 2 reads", func() { w.run(w.neutralTask("main")) })
	w.costs("0 writes, 0 reads", func() { w.run(w.neutralTask("main")) })
	_, err := w.AddRuleset(w.gitops, "main", ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "stagecoach/dev"}}})
	must(t, err)
	w.now = w.now.Add(59 * time.Minute)
	w.costs("0 writes, 0 reads", func() { w.run(w.neutralTask("main")) })
	w.now = w.now.Add(time.Minute)
	w.run(w.neutralTask("main"))
	if got := w.neutrals(); !slices.Equal(got, []string{"stagecoach/dev neutral"}) {
		t.Errorf("an hour later it reported %q", got)
	}
	if w.run(w.neutralTask("gone")); len(w.neutrals()) != 1 {
		t.Errorf("of a branch that is gone it reported %q", w.neutrals())
	}
}

func TestNeutralIsAdopted(t *testing.T) {
	w := newWorld(t)
	_, err := w.AddRuleset(w.gitops, "main", ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "stagecoach/dev"}}})
	must(t, err)
	again := w.lost(w.neutralTask("main"), "POST */check-runs")
	w.costs("0 writes, 1 reads", func() { w.run(again) })
	if got := w.neutrals(); len(got) != 1 {
		t.Errorf("reported %q", got)
	}
}
