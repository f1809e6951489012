package ghapi

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// renewPullRequest brings the text of a promotion's pull request up to date, whose
// edit was made anew. Where the same lines change as before, it asks for nothing.
// Only the table of changes is put in place of the former one: what people wrote
// beside it stays.
func (r *repository) renewPullRequest(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	p := *t.Promotion
	known, message := *p.PullRequest, fmt.Sprintf("#%d is open", p.PullRequest.Number)
	if !reflect.DeepEqual(p.Changes, p.Redo.Was.Changes) {
		pr, err := r.readPull(ctx, known.Number, true)
		if err != nil {
			return promotion.Result{}, err
		}
		if body, differs := renewed(t, pr.GetBody()); differs && pr.GetState() == "open" {
			if _, _, err := r.PullRequests.Edit(ctx, r.Owner, r.Name, known.Number, &github.PullRequest{Body: &body}); err != nil {
				return promotion.Result{}, err
			}
			message = fmt.Sprintf("renewed #%d", known.Number)
		}
	}
	return promotion.Result{
		Phase: promotion.StepSucceeded, Message: message, PullRequest: &known, // what was read may be older than the push
		Output: outputs(map[string]any{"pr": prOutput{ID: known.Number, URL: known.URL}, "prNumber": known.Number}),
	}, nil
}

// renewed is a body with the table of changes of now; differs is false when the
// former one is not in it, because somebody wrote another body.
func renewed(t promotion.Task, body string) (text string, differs bool) {
	was := *t.Promotion
	was.Changes = was.Redo.Was.Changes
	former := t
	former.Promotion = &was
	before, after := ledger.Changes(former), ledger.Changes(t)
	if before == "" || before == after || !strings.Contains(body, before) {
		return body, false
	}
	return strings.Replace(body, before, after, 1), true
}
