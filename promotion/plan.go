package promotion

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// NewPlan is what a promotion to the stage does: the stage's steps and those
// that its way to deliver adds. A stage without steps only joins or fans out.
func NewPlan(p *Pipeline, stage *Stage, defaultBranch string) *Plan {
	plan := &Plan{
		Deliver: stage.Deliver, Branch: cmp.Or(stage.Branch, defaultBranch), PullRequest: stage.PullRequest,
		Steps: slices.Clone(stage.Steps), Vars: map[string]json.RawMessage{},
	}
	maps.Copy(plan.Vars, p.Vars)
	maps.Copy(plan.Vars, stage.Vars)
	if len(plan.Steps) == 0 {
		return plan
	}
	for _, uses := range delivery(stage.Deliver) {
		plan.Steps = append(plan.Steps, Step{Uses: uses, Added: true})
	}
	return plan
}

// delivery are the steps that a way to deliver appends (DESIGN, section 2).
func delivery(d Deliver) []string {
	switch d {
	case DeliverCommit:
		return []string{"git-commit", "git-push"}
	case DeliverPullRequest:
		return []string{"git-commit", "git-push", "git-open-pr", "git-wait-for-pr"}
	}
	return nil
}
