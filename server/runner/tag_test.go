package runner

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// record is what a step left.
func record(step int, how *recipe, commit, pushed string) promotion.StepRecord {
	r := promotion.StepRecord{Step: step, Result: promotion.Result{Commit: commit, Pushed: pushed}}
	if how != nil {
		r.Result.Recipe, _ = json.Marshal(how)
	}
	return r
}

// TestHeadOf follows checkouts through the steps.
func TestHeadOf(t *testing.T) {
	commit, tag, other := &recipe{Path: "."}, &recipe{Path: ".", Tag: "v1"}, &recipe{Path: "out"}
	empty := record(1, commit, "", "")
	empty.Result.Empty = true
	uses := []string{"git-clone", "git-commit", "git-push", "git-tag"}
	for name, c := range map[string]struct {
		records []promotion.StepRecord
		want    string
		made    bool
	}{
		"checked out":          {nil, "base", false},
		"committed":            {[]promotion.StepRecord{record(1, commit, "c1", "")}, "c1", true},
		"committed and tagged": {[]promotion.StepRecord{record(1, commit, "c1", ""), record(3, tag, "", "")}, "c1", true},
		"pushed as another":    {[]promotion.StepRecord{record(1, commit, "c1", ""), record(2, nil, "c2", "main")}, "c2", false},
		"nothing to commit":    {[]promotion.StepRecord{empty, record(2, nil, "", "")}, "base", false},
		"another checkout":     {[]promotion.StepRecord{record(1, other, "c1", "")}, "base", false},
		"pushed elsewhere":     {[]promotion.StepRecord{record(1, other, "c1", ""), record(2, nil, "c2", "env")}, "base", false},
		"cloned again":         {[]promotion.StepRecord{record(1, commit, "c1", ""), record(0, nil, "", "")}, "base", false},
	} {
		task := promotion.Task{Promotion: &promotion.Promotion{Plan: &promotion.Plan{}}, Records: c.records, Step: &promotion.Step{Uses: "git-tag"}}
		for _, u := range uses {
			task.Promotion.Plan.Steps = append(task.Promotion.Plan.Steps, promotion.Step{Uses: u})
		}
		got, err := headOf(task, promotion.Mount{Path: ".", Commit: "base"})
		if err != nil || got.commit != c.want || (got.made != nil) != c.made {
			t.Errorf("%s: %+v, %v; want %s, %t", name, got, err, c.want, c.made)
		}
		if task.Promotion.Landed = "landed"; c.records == nil { // the records were lost
			task.Promotion.Plan.Branch = "main"
			got, err := headOf(task, promotion.Mount{Path: ".", Branch: "main", Commit: "base"})
			if err != nil || got.commit != "landed" || got.made != nil {
				t.Errorf("after a lost disk: %+v, %v", got, err)
			}
		}
		if _, err := headOf(task, promotion.Mount{Path: ".", Branch: "env"}); (err == nil) != (c.want != "base") {
			t.Errorf("%s, of a branch that is not there: %v", name, err)
		}
		if how, err := tagRecipe(task, "v1"); (err == nil) != (name == "committed and tagged") || err == nil && how.Tag != "v1" {
			t.Errorf("%s: the tag's recipe %+v, %v", name, how, err)
		}
	}
}

// TestUnpushedCommitsAreNotSigned refuses a tag that would bring an unsigned commit.
func TestUnpushedCommitsAreNotSigned(t *testing.T) {
	task := promotion.Task{Pipeline: &promotion.Pipeline{Verified: true}}
	_, err := New(Options{}).unpushed(t.Context(), task, nil, promotion.Mount{}, recipe{})
	if !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "push the branch before the tag") {
		t.Errorf("error %v", err)
	}
}
