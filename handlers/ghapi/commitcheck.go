package ghapi

import (
	"context"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// CommitCheck writes the check run that says on a commit of a git source where its
// freight is. It is completed always, and never a no: the commit has landed, and
// nothing shall wait for it. One write; with Effect.Look it is looked for first.
func (a *API) CommitCheck(ctx context.Context, t promotion.Task, w promotion.Whereabouts) promotion.Result {
	id, err := a.commitCheck(ctx, t, w)
	result := promotion.Result{Effect: t.Effect.ID, CheckID: id}
	if err != nil {
		result.Err = a.classify(err, doing(t), a.fresh(t))
	}
	return result
}

func (a *API) commitCheck(ctx context.Context, t promotion.Task, w promotion.Whereabouts) (int64, error) {
	r, err := a.repository(t.Repo)
	if err != nil {
		return 0, err
	}
	var id int64
	if ps := t.State.Pipelines[w.Pipeline]; ps != nil {
		id = ps.Shown[w.Commit].ID
	}
	if id == 0 && t.Effect.Look {
		found, err := r.findCheck(ctx, t, w.Name, w.ExternalID, w.Commit)
		if id = found.GetID(); err != nil {
			return 0, err
		}
	}
	conclusion := "neutral"
	if w.Everywhere() {
		conclusion = "success"
	}
	return r.writeCheck(ctx, id, &checkBody{
		Name: w.Name, HeadSHA: w.Commit, ExternalID: w.ExternalID, Conclusion: conclusion, DetailsURL: a.links.Page(t.State),
		Output: output(ledger.CommitTitle(w), ledger.CommitSummary(t.State, w, a.links)), Actions: actions(nil),
	})
}
