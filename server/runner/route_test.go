package runner_test

import (
	"context"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/runner"
)

// api takes every effect for done, and keeps its kind.
type api struct {
	runner.GitHub
	took []promotion.Kind
}

func (a *api) Run(_ context.Context, t promotion.Task) promotion.Result {
	a.took = append(a.took, t.Effect.Kind)
	return promotion.Result{Permission: "read"}
}

// What is neither a step nor read over git goes to GitHub's API, and its answer
// comes back under the effect's name.
func TestWhatGoesToTheAPI(t *testing.T) {
	github := &api{}
	r := runner.New(runner.Options{GitHub: github})
	kinds := []promotion.Kind{
		promotion.KindCheck, promotion.KindReact, promotion.KindReply, promotion.KindHistory, promotion.KindPermission, promotion.KindChecks,
		promotion.KindPullRequest, promotion.KindDeleteBranch, promotion.KindDeployment, promotion.KindNeutral,
	}
	for i, kind := range kinds {
		got := r.Run(t.Context(), promotion.Task{Effect: promotion.Effect{ID: "effect/1", Kind: kind}})
		if got.Effect != "effect/1" || got.Permission != "read" || got.Err != nil || len(github.took) != i+1 || github.took[i] != kind {
			t.Errorf("%s: got %+v, the API took %v", kind, got, github.took)
		}
	}
}
