package ghapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// checkBody is a check run as it is written. It is our own because go-github
// leaves out an empty list of actions, and then the old buttons would stay.
type checkBody struct {
	Name       string                   `json:"name"`
	HeadSHA    string                   `json:"head_sha,omitempty"` // only when it is made
	ExternalID string                   `json:"external_id"`
	DetailsURL string                   `json:"details_url,omitempty"`
	Status     string                   `json:"status"`
	Conclusion string                   `json:"conclusion,omitempty"`
	Output     *github.CheckRunOutput   `json:"output"`
	Actions    []*github.CheckRunAction `json:"actions"`
}

// maxCheckTitle bounds a check run's title in characters; a check list shows less.
const maxCheckTitle = 255

// buttons are the actions by their identifiers. GitHub takes three of them,
// labels of at most 20 and descriptions of at most 40 characters.
// https://docs.github.com/en/rest/checks/runs#create-a-check-run
var buttons = map[string]github.CheckRunAction{
	"promote": {Label: "Promote", Description: "Promote this freight to the next stage"},
	"approve": {Label: "Approve", Description: "Approve this promotion"},
	"retry":   {Label: "Retry", Description: "Go on from the step that failed"},
	"abort":   {Label: "Abort", Description: "End this promotion without a merge"},
}

const mostButtons = 3

func actions(identifiers []string) []*github.CheckRunAction {
	out := []*github.CheckRunAction{}
	for _, id := range identifiers[:min(len(identifiers), mostButtons)] {
		action, ok := buttons[id]
		if !ok {
			continue
		}
		action.Identifier = id
		out = append(out, &action)
	}
	return out
}

// check writes a promotion's check run.
func (r *repository) check(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	c := t.Effect.Check
	if c == nil {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("the effect %s holds no check run", t.Effect.ID))
	}
	summary := ledger.CheckSummary(t, r.api.links)
	if summary == "" {
		summary = c.Title // GitHub takes no output without one
	}
	id, mark, before := c.ID, c.Mark(), promotion.CheckMark{}
	if id == 0 && t.Effect.Look {
		found, err := r.findCheck(ctx, t, c.Name, c.ExternalID, c.SHA)
		if err != nil {
			return promotion.Result{}, err
		}
		id, before = found.GetID(), promotion.ParseCheckMark(found.GetOutput().GetSummary())
		mark.Heard = united(before.Heard, mark.Heard)
		if t.Promotion != nil && t.Promotion.Recalls {
			mark.Approved = united(before.Approved, mark.Approved)
		}
	}
	body := &checkBody{
		Name: c.Name, HeadSHA: c.SHA, ExternalID: c.ExternalID, Conclusion: c.Conclusion, Actions: actions(c.Actions),
		Output: output(c.Title, summary+"\n"+mark.String()+"\n"),
	}
	body.DetailsURL = r.api.links.Page(t.State)
	id, err := r.writeCheck(ctx, id, body)
	return promotion.Result{CheckID: id, Heard: before.Heard, Approved: before.Approved}, err
}

// united are the words of both lists, each once.
func united(a, b []string) []string {
	out := slices.Clone(a)
	for _, word := range b {
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// pressed reports whether our check run says that a press of its buttons was heard. One
// that is gone, or not ours, says nothing.
func (r *repository) pressed(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	run, _, err := r.Checks.GetCheckRun(ctx, r.Owner, r.Name, t.Effect.Check.ID)
	if status(err) == http.StatusNotFound {
		return promotion.Result{}, nil
	}
	if err != nil || run.GetApp().GetID() != r.api.opts.AppID {
		return promotion.Result{}, err
	}
	return promotion.Result{Before: slices.Contains(promotion.ParseCheckMark(run.GetOutput().GetSummary()).Heard, t.Effect.Text)}, nil
}

func output(title, summary string) *github.CheckRunOutput {
	title = ledger.OneLine(title)
	if runes := []rune(title); len(runes) > maxCheckTitle {
		title = string(runes[:maxCheckTitle-1]) + "…"
	}
	return &github.CheckRunOutput{Title: &title, Summary: &summary}
}

// writeCheck updates check run id, or makes one when id is 0 or is gone (GitHub
// deletes old ones), and returns its ID.
func (r *repository) writeCheck(ctx context.Context, id int64, body *checkBody) (int64, error) {
	body.Status = "in_progress"
	if body.Conclusion != "" {
		body.Status = "completed"
	}
	if id != 0 {
		update := *body
		update.HeadSHA = ""
		got, err := r.sendCheck(ctx, http.MethodPatch, fmt.Sprintf("repos/%s/%s/check-runs/%d", r.Owner, r.Name, id), &update)
		if status(err) != http.StatusNotFound {
			return got, err
		}
	}
	return r.sendCheck(ctx, http.MethodPost, fmt.Sprintf("repos/%s/%s/check-runs", r.Owner, r.Name), body)
}

func (r *repository) sendCheck(ctx context.Context, method, path string, body *checkBody) (int64, error) {
	req, err := r.NewRequest(method, path, body)
	if err != nil {
		return 0, err
	}
	var run github.CheckRun
	if _, err := r.Do(ctx, req, &run); err != nil {
		return 0, err
	}
	return run.GetID(), nil
}

// findCheck looks for our check run with an external ID on a commit; nil: there
// is none.
func (r *repository) findCheck(ctx context.Context, t promotion.Task, name, externalID, sha string) (*github.CheckRun, error) {
	if err := r.settle(ctx, t); err != nil {
		return nil, err
	}
	var found *github.CheckRun
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Checks.ListCheckRunsForRef(ctx, r.Owner, r.Name, sha, &github.ListCheckRunsOptions{
			CheckName: &name, Filter: github.String("all"), AppID: &r.api.opts.AppID, ListOptions: page,
		})
		if err != nil {
			return resp, true, err
		}
		for _, run := range list.CheckRuns {
			if run.GetExternalID() == externalID && strings.EqualFold(run.GetHeadSHA(), sha) && run.GetApp().GetID() == r.api.opts.AppID {
				found = run
			}
		}
		return resp, found != nil, nil
	})
	return found, err
}
