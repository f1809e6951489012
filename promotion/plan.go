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
		Steps: slices.Clone(stage.Steps), Vars: map[string]json.RawMessage{}, Timeout: stage.Timeout,
	}
	maps.Copy(plan.Vars, p.Vars)
	maps.Copy(plan.Vars, stage.Vars)
	if len(plan.Steps) == 0 {
		return plan
	}
	for _, uses := range delivery(stage) {
		plan.Steps = append(plan.Steps, Step{Uses: uses, Added: true})
	}
	return plan
}

// The steps that wait for a pull request.
const (
	usesWait  = "git-wait-for-pr"
	usesMerge = "git-merge-pr"
)

// delivery are the steps that a way to deliver appends (DESIGN, section 2).
func delivery(s *Stage) []string {
	switch {
	case s.Deliver == DeliverCommit:
		return []string{"git-commit", "git-push"}
	case s.Deliver == DeliverPullRequest && s.PullRequest.Merge == MergeAuto:
		return []string{"git-commit", "git-push", "git-open-pr", usesMerge}
	case s.Deliver == DeliverPullRequest:
		return []string{"git-commit", "git-push", "git-open-pr", usesWait}
	}
	return nil
}
