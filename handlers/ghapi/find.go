package ghapi

import (
	"context"
	"errors"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// What Find did not find.
var (
	// ErrNotInstalled means that no installation of the App reaches the repository,
	// or that there is none of that name: GitHub does not tell which.
	ErrNotInstalled = errors.New("the App is not installed there, or there is no such repository")
	// ErrSuspended means that the installation which reaches it is suspended.
	ErrSuspended = errors.New("the App's installation there is suspended")
)

// Find finds a repository by its name, with the installation that reaches it. It
// costs two requests, one of them the App's.
func (a *API) Find(ctx context.Context, owner, name string) (promotion.Repo, error) {
	repo := promotion.Repo{Owner: owner, Name: name}
	id, suspended, err := a.InstallationOf(ctx, repo)
	switch {
	case err != nil:
		return repo, err
	case id == 0:
		return repo, ErrNotInstalled
	case suspended:
		return repo, ErrSuspended
	}
	account, err := a.account(id)
	if err != nil {
		return repo, err
	}
	got, _, err := account.client.Repositories.Get(ctx, owner, name)
	if err != nil {
		return repo, a.classify(err, "read the repository "+repo.FullName(), false)
	}
	return repoOf(got, id), nil
}
