package ghapi

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// maxDeploymentText bounds the description of a Deployment's status in characters.
// https://docs.github.com/en/rest/deployments/statuses#create-a-deployment-status
const maxDeploymentText = 140

// deploymentPayload ties a Deployment to its promotion.
type deploymentPayload struct {
	Promotion string `json:"promotion"`
}

// deployment makes the promotion's Deployment, if it has none yet, and gives it
// the state of Effect.Text. Neither is done twice: with Effect.Look both are
// looked for first. It takes a write for each.
func (r *repository) deployment(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	if t.Promotion == nil || t.Promotion.Deployment == nil {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("the effect %s is of a promotion that records no Deployment", t.Effect.ID))
	}
	id, told, err := t.Promotion.Deployment.ID, false, error(nil)
	if t.Effect.Look {
		if id, told, err = r.findDeployment(ctx, t, id); err != nil {
			return promotion.Result{}, err
		}
	}
	if id == 0 {
		if id, err = r.makeDeployment(ctx, t); err != nil {
			return promotion.Result{}, err
		}
	}
	if !told {
		if err = r.tellDeployment(ctx, t, id); err != nil {
			return promotion.Result{}, err
		}
	}
	return promotion.Result{DeploymentID: id}, nil
}

// makeDeployment records that the landed commit goes to the environment. GitHub
// shall neither merge anything for it nor wait for checks: it has landed.
// https://docs.github.com/en/rest/deployments/deployments#create-a-deployment
func (r *repository) makeDeployment(ctx context.Context, t promotion.Task) (int64, error) {
	made, _, err := r.Repositories.CreateDeployment(ctx, r.Owner, r.Name, &github.DeploymentRequest{
		Ref: &t.Effect.SHA, Environment: &t.Promotion.Deployment.Environment, AutoMerge: github.Bool(false),
		RequiredContexts: &[]string{}, Payload: deploymentPayload{t.Promotion.Name},
		Description: github.String("Promoted by Stagecoach: " + t.Promotion.Name),
	})
	return made.GetID(), err
}

// tellDeployment gives a Deployment its state. Others of the environment stay as
// they are, because not all of them need be ours.
func (r *repository) tellDeployment(ctx context.Context, t promotion.Task, id int64) error {
	state, text := t.Effect.Text, cut(ledger.OneLine(t.Promotion.Message), maxDeploymentText)
	status := &github.DeploymentStatusRequest{State: &state, Description: &text, AutoInactive: github.Bool(false)}
	if page := r.deploymentLog(t); page != "" {
		status.LogURL = &page
	}
	_, _, err := r.Repositories.CreateDeploymentStatus(ctx, r.Owner, r.Name, id, status)
	return err
}

// deploymentLog is the page that shows the promotion: its check run on the landed
// commit, where that is known, else the tracking issue.
func (r *repository) deploymentLog(t promotion.Task) string {
	for _, check := range t.Promotion.Checks {
		if page := r.api.links.Check(r.FullName(), check.ID); page != "" && check.SHA == t.Effect.SHA {
			return page
		}
	}
	return r.api.links.Page(t.State)
}

// findDeployment looks for the promotion's Deployment, unless its id is known,
// and whether it has the state already.
func (r *repository) findDeployment(ctx context.Context, t promotion.Task, id int64) (found int64, told bool, err error) {
	if err := r.settle(ctx, t); err != nil {
		return 0, false, err
	}
	if id == 0 {
		if id, err = r.deploymentOf(ctx, t); err != nil || id == 0 {
			return 0, false, err
		}
	}
	newest, _, err := r.Repositories.ListDeploymentStatuses(ctx, r.Owner, r.Name, id, &github.ListOptions{PerPage: 1})
	if err != nil {
		return 0, false, err
	}
	return id, len(newest) > 0 && newest[0].GetState() == t.Effect.Text, nil
}

// deploymentOf looks among the environment's Deployments of the landed commit for
// one of ours that names the promotion; 0: there is none.
func (r *repository) deploymentOf(ctx context.Context, t promotion.Task) (int64, error) {
	us, err := r.api.App(ctx)
	if err != nil {
		return 0, err
	}
	var found int64
	err = pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Repositories.ListDeployments(ctx, r.Owner, r.Name, &github.DeploymentsListOptions{
			SHA: t.Effect.SHA, Environment: t.Promotion.Deployment.Environment, ListOptions: page,
		})
		for _, d := range list {
			if strings.EqualFold(d.GetCreator().GetLogin(), us.BotLogin) && promotionOf(d.Payload) == t.Promotion.Name {
				found = d.GetID()
			}
		}
		return resp, found != 0, err
	})
	return found, err
}

// promotionOf reads a payload, which others may have written in any form. GitHub
// gives an object back as one, and in some places as text that holds it.
func promotionOf(payload json.RawMessage) string {
	var text string
	if json.Unmarshal(payload, &text) == nil {
		payload = json.RawMessage(text)
	}
	var p deploymentPayload
	if json.Unmarshal(payload, &p) != nil {
		return ""
	}
	return p.Promotion
}
