package ghapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// GitHub's bounds in characters; a longer title or body is refused.
const (
	maxPullTitle = 256
	maxPullBody  = 65536
)

// openConfig is the config of git-open-pr, evaluated.
// https://docs.kargo.io/user-guide/reference-docs/promotion-steps/git-open-pr
type openConfig struct {
	RepoURL      string   `json:"repoURL"`
	SourceBranch string   `json:"sourceBranch"`
	TargetBranch string   `json:"targetBranch"`
	Title        string   `json:"title"`
	Description  string   `json:"description"`
	Draft        *bool    `json:"draft"`
	Labels       []string `json:"labels"`
}

// readConfig reads a step's config; none is an empty one.
func readConfig[T any](t promotion.Task) (T, error) {
	var c T
	if len(t.Config) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(t.Config, &c); err != nil {
		return c, promotion.Terminal(fmt.Errorf("read the config of %s: %w", t.Step.Uses, err))
	}
	return c, nil
}

// openPullRequest opens the promotion's pull request, or adopts the one that
// an earlier try opened, and gives it its labels and reviewers.
func (r *repository) openPullRequest(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	if p := t.Promotion; p.Redo != nil && p.Redo.Begun && p.PullRequest != nil {
		return r.renewPullRequest(ctx, t)
	}
	config, err := readConfig[openConfig](t)
	if err != nil {
		return promotion.Result{}, err
	}
	result, err := r.pullRequest(ctx, t, config)
	if err != nil {
		return result, err
	}
	return r.dress(ctx, t, result, config.Labels...)
}

func (r *repository) pullRequest(ctx context.Context, t promotion.Task, config openConfig) (promotion.Result, error) {
	if err := r.own(config.RepoURL, t.Step.Uses); err != nil {
		return promotion.Result{}, err
	}
	want, err := r.newPull(t, config)
	if err != nil {
		return promotion.Result{}, err
	}
	if t.Effect.Look {
		if pr, err := r.findPull(ctx, t, want); err != nil || pr != nil {
			return opened(pr, "found"), err
		}
	}
	pr, _, err := r.PullRequests.Create(ctx, r.Owner, r.Name, want)
	switch {
	case says(err, "a pull request already exists"):
		pr, err := r.findPull(ctx, t, want)
		if err == nil && pr == nil { // lists lag: the next look finds it
			err = fmt.Errorf("GitHub says that there is a pull request from %s already, and shows none yet", want.GetHead())
		}
		return opened(pr, "found"), err
	case says(err, "no commits between"):
		return promotion.Result{}, promotion.Terminal(&said{fmt.Sprintf(
			"could not open the pull request: %s holds nothing that %s does not hold already", want.GetHead(), want.GetBase()), err})
	case err != nil:
		return promotion.Result{}, err
	}
	return opened(pr, "opened"), nil
}

// newPull is the pull request to open.
func (r *repository) newPull(t promotion.Task, config openConfig) (*github.NewPullRequest, error) {
	p := t.Promotion
	plan := p.Plan
	if plan == nil {
		plan = &promotion.Plan{}
	}
	head, base := cmp.Or(config.SourceBranch, p.Pushed), cmp.Or(config.TargetBranch, plan.Branch)
	if head == "" || base == "" {
		return nil, promotion.Terminal(fmt.Errorf(
			"could not open the pull request: no branch was pushed before it; add git-push, or set sourceBranch and targetBranch"))
	}
	title, body := ledger.PullRequest(t, r.api.links)
	title = cmp.Or(config.Title, plan.PullRequest.Title, title)
	if own := cmp.Or(config.Description, plan.PullRequest.Body); own != "" {
		body = own
	}
	draft := plan.PullRequest.Draft
	if config.Draft != nil {
		draft = *config.Draft
	}
	return &github.NewPullRequest{
		Title: github.String(cut(strings.Join(strings.Fields(title), " "), maxPullTitle)),
		Body:  github.String(marked(body, ledger.Marker(p.Name))),
		Head:  &head, Base: &base, Draft: &draft,
	}, nil
}

// marked is the body with the marker that ties it to its promotion.
func marked(body, marker string) string {
	if strings.Contains(body, marker) {
		return body
	}
	return cut(body, maxPullBody-len(marker)-2) + "\n\n" + marker
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
