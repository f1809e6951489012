package ghapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// deleteBranch deletes a promotion's branch if it holds nothing but what we, or
// a merge, know of. GitHub deletes without looking at the tip, so the tip is
// read first. A branch that is gone is done.
func (r *repository) deleteBranch(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	ref := "refs/heads/" + t.Effect.Branch
	tip, _, err := r.Git.GetRef(ctx, r.Owner, r.Name, ref)
	switch {
	case status(err) == http.StatusNotFound:
		return promotion.Result{}, nil
	case err != nil:
		return promotion.Result{}, err
	}
	if sha := tip.GetObject().GetSHA(); !mayDelete(t, sha) {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf(
			"the branch %s was kept: its tip is %.7s, which is not ours; delete it if nobody needs it", t.Effect.Branch, sha))
	}
	_, err = r.Git.DeleteRef(ctx, r.Owner, r.Name, ref)
	if status(err) == http.StatusNotFound || says(err, "reference does not exist") {
		err = nil // somebody was faster
	}
	return promotion.Result{}, err
}

// mayDelete reports whether a branch's tip is the one we left there, or one that was merged.
func mayDelete(t promotion.Task, tip string) bool {
	if strings.EqualFold(tip, t.Effect.SHA) {
		return true
	}
	if t.Promotion != nil && t.Promotion.Redo != nil && strings.EqualFold(tip, t.Promotion.Redo.Was.Commit) {
		return true // it ended while its edit was made anew
	}
	if t.Promotion == nil || t.Promotion.PullRequest == nil {
		return false
	}
	pr := t.Promotion.PullRequest
	return pr.State == "merged" && strings.EqualFold(tip, pr.Head)
}
