package ghapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/go-github/v57/github"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const (
	ruleAge     = time.Hour // how long what a branch requires is believed
	mostRuled   = 10_000    // branches whose rules are remembered
	neutralHead = "Not a promotion"
	neutralText = "A rule of this branch requires this check of every pull request. It holds promotions until their gates are open, and says nothing of others."
)

// ruled is what a branch required when it was looked at.
type ruled struct {
	at    time.Time
	names []string
}

// ruledBranch is a struct so that no two pairs collide, as joined strings can.
type ruledBranch struct {
	repo   int64
	branch string
}

func newRules() (*lru.Cache[ruledBranch, ruled], error) {
	return lru.New[ruledBranch, ruled](mostRuled)
}

// neutral reports those checks of stages as neutral that the branch of a pull
// request requires. What is required is read once an hour for each branch, by two
// requests; where no rule asks, nothing is written.
func (r *repository) neutral(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	if t.State == nil || t.Effect.SHA == "" {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("the effect %s names no commit", t.Effect.ID))
	}
	required, err := r.required(ctx, t.Effect.Branch)
	if err != nil {
		return promotion.Result{}, err
	}
	for _, name := range t.State.ChecksOf(t.Effect.Branch) {
		if name == t.Effect.Text || !slices.Contains(required, name) {
			continue
		}
		if t.Effect.Look {
			if found, err := r.findCheck(ctx, t, name, t.Effect.ID, t.Effect.SHA); err != nil || found != nil {
				if err != nil {
					return promotion.Result{}, err
				}
				continue
			}
		}
		_, err := r.writeCheck(ctx, 0, &checkBody{
			Name: name, HeadSHA: t.Effect.SHA, ExternalID: t.Effect.ID, Conclusion: "neutral",
			Output: output(neutralHead, neutralText), Actions: actions(nil),
		})
		if err != nil {
			return promotion.Result{}, err
		}
	}
	return promotion.Result{}, nil
}

// required are the names of the checks that a branch requires, by rulesets and by
// classic protection, which a branch itself shows to whoever may read it.
func (r *repository) required(ctx context.Context, branch string) ([]string, error) {
	key := ruledBranch{r.ID, branch}
	if known, ok := r.api.ruled.Get(key); ok && r.api.opts.Now().Sub(known.at) < ruleAge {
		return known.names, nil
	}
	names, err := r.rulesets(ctx, branch)
	if err != nil {
		return nil, err
	}
	classic, err := r.protection(ctx, branch)
	if err != nil {
		return nil, err
	}
	names = append(names, classic...)
	r.api.ruled.Add(key, ruled{r.api.opts.Now(), names})
	return names, nil
}

// rulesets reads the rules that are in force on a branch.
// https://docs.github.com/en/rest/repos/rules#get-rules-for-a-branch
func (r *repository) rulesets(ctx context.Context, branch string) ([]string, error) {
	var names []string
	path := fmt.Sprintf("repos/%s/%s/rules/branches/%s", r.Owner, r.Name, url.PathEscape(branch))
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		var rules []struct {
			Type       string `json:"type"`
			Parameters struct {
				Checks []struct {
					Context string `json:"context"`
				} `json:"required_status_checks"`
			} `json:"parameters"`
		}
		req, err := r.NewRequest(http.MethodGet, fmt.Sprintf("%s?per_page=%d&page=%d", path, page.PerPage, max(page.Page, 1)), nil)
		if err != nil {
			return nil, true, err
		}
		resp, err := r.Do(ctx, req, &rules)
		for _, rule := range rules {
			for _, check := range rule.Parameters.Checks {
				if rule.Type == "required_status_checks" {
					names = append(names, check.Context)
				}
			}
		}
		return resp, err != nil, err
	})
	if status(err) == http.StatusNotFound {
		return nil, nil // GitHubs without rulesets
	}
	return names, err
}

// protection reads what the classic protection of a branch requires.
// https://docs.github.com/en/rest/branches/branches#get-a-branch
func (r *repository) protection(ctx context.Context, branch string) ([]string, error) {
	var got struct {
		Protection struct {
			Required struct {
				Level    string   `json:"enforcement_level"`
				Contexts []string `json:"contexts"`
			} `json:"required_status_checks"`
		} `json:"protection"`
	}
	err := r.read(ctx, fmt.Sprintf("repos/%s/%s/branches/%s", r.Owner, r.Name, url.PathEscape(branch)), &got)
	if status(err) == http.StatusNotFound {
		return nil, nil // the branch is gone, and its pull requests with it
	}
	if got.Protection.Required.Level == "off" {
		return nil, err
	}
	return got.Protection.Required.Contexts, err
}
