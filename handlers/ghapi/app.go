package ghapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// AppInfo is how GitHub knows us.
type AppInfo struct {
	ID       int64
	Slug     string
	Name     string
	BotLogin string // "SLUG[bot]": the author of what we write
}

// App reads who we are, once: later calls answer from memory.
func (a *API) App(ctx context.Context) (AppInfo, error) {
	a.mu.Lock()
	known := a.info
	a.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	app, _, err := a.app.Apps.Get(ctx, "")
	if err != nil {
		return AppInfo{}, a.classify(err, "read its own registration", false)
	}
	info := AppInfo{ID: app.GetID(), Slug: app.GetSlug(), Name: app.GetName(), BotLogin: app.GetSlug() + "[bot]"}
	if info.ID != a.opts.AppID {
		return AppInfo{}, promotion.Terminal(fmt.Errorf("the private key is that of App %d, and GITHUB_APP_INTEGRATION_ID is %d", info.ID, a.opts.AppID))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.info = &info
	return info, nil
}

// Permissions are what the app asks for: no less makes every effect and read of
// this package possible. A new map each time.
func Permissions() map[string]string {
	return map[string]string{
		"checks":        "write", // check runs and their buttons
		"contents":      "write", // git, and deleting branches
		"deployments":   "write", // the records of stages with an environment; optional
		"issues":        "write", // the ledger, comments, reactions
		"members":       "read",  // of an organization: who is in which team
		"metadata":      "read",  // repositories, and who may do what
		"packages":      "read",  // to be told of images that were pushed; nothing is read by it
		"pull_requests": "write", // promotion pull requests
		"statuses":      "read",  // what others say of commits, beside their check runs
	}
}

// Installation is the App on one account.
type Installation struct {
	ID          int64
	Account     string // login
	Suspended   bool
	Permissions map[string]string // as the owner accepted them
}

// Installations lists all installations of the App, one request for a hundred.
func (a *API) Installations(ctx context.Context) ([]Installation, error) {
	var out []Installation
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := a.app.Apps.ListInstallations(ctx, &page)
		for _, i := range list {
			out = append(out, Installation{
				ID: i.GetID(), Account: i.GetAccount().GetLogin(), Suspended: i.SuspendedAt != nil, Permissions: granted(i.Permissions),
			})
		}
		return resp, false, err
	})
	if err != nil {
		return nil, a.classify(err, "list its installations", false)
	}
	return out, nil
}

// granted turns go-github's struct of permissions back into GitHub's own names.
func granted(p *github.InstallationPermissions) map[string]string {
	out := map[string]string{}
	raw, err := json.Marshal(p)
	if err != nil || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// Repositories lists what an installation reaches, one request for a hundred.
func (a *API) Repositories(ctx context.Context, installation int64) ([]promotion.Repo, error) {
	account, err := a.account(installation)
	if err != nil {
		return nil, err
	}
	var out []promotion.Repo
	err = pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := account.client.Apps.ListRepos(ctx, &page)
		if err != nil {
			return resp, true, err
		}
		for _, r := range list.Repositories {
			out = append(out, repoOf(r, installation))
		}
		return resp, false, nil
	})
	if err != nil {
		return nil, a.classify(err, "list its repositories", false)
	}
	return out, nil
}

// Repository reads what a repository is called and how it is set now. It is asked
// for by name, and by ID (which GitHub answers and does not document) only when
// that name now leads elsewhere.
func (a *API) Repository(ctx context.Context, repo promotion.Repo) (promotion.Repo, error) {
	r, err := a.repository(repo)
	if err != nil {
		return repo, err
	}
	got, resp, err := r.Repositories.Get(ctx, repo.Owner, repo.Name)
	if err == nil && got.GetID() != repo.ID || resp != nil && resp.StatusCode == http.StatusNotFound {
		got, _, err = r.Repositories.GetByID(ctx, repo.ID)
	}
	if err != nil {
		return repo, a.classify(err, "read the repository "+repo.FullName(), false)
	}
	return repoOf(got, repo.Installation), nil
}

// repoOf is a repository in the core's words.
func repoOf(r *github.Repository, installation int64) promotion.Repo {
	out := promotion.Repo{
		ID: r.GetID(), Owner: r.GetOwner().GetLogin(), Name: r.GetName(), DefaultBranch: r.GetDefaultBranch(),
		Installation: installation, Private: r.GetPrivate(), NoIssues: r.HasIssues != nil && !r.GetHasIssues(),
	}
	switch {
	case r.GetArchived():
		out.Idle = "archived"
	case r.GetFork():
		out.Idle = "fork"
	}
	return out
}
