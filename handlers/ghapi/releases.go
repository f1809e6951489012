package ghapi

import (
	"context"
	"net/http"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// mostReleases is how many releases are looked at: one page, GitHub's longest.
const mostReleases = 100

// Releases lists the releases of a repository that are no drafts, the newest first:
// one conditional request.
func (a *API) Releases(ctx context.Context, repo promotion.Repo) ([]promotion.Release, error) {
	r, err := a.repository(repo)
	if err != nil {
		return nil, err
	}
	list, _, err := r.Repositories.ListReleases(ctx, repo.Owner, repo.Name, &github.ListOptions{PerPage: mostReleases})
	if err != nil {
		return nil, a.classify(err, "list the releases of "+repo.FullName(), false)
	}
	var out []promotion.Release
	for _, each := range list {
		if each.GetDraft() {
			continue
		}
		out = append(out, promotion.Release{
			Tag: each.GetTagName(), Name: each.GetName(), By: each.GetAuthor().GetLogin(),
			Prerelease: each.GetPrerelease(), At: each.GetPublishedAt().UTC(),
		})
	}
	return out, nil
}

// Named describes the repository that has, or once had, a name. It is nil when there is
// none that the credentials of as can see. Private holds for what not everybody can read.
func (a *API) Named(ctx context.Context, as promotion.Repo, owner, name string) (*promotion.Repo, error) {
	r, err := a.repository(as)
	if err != nil {
		return nil, err
	}
	got, resp, err := r.Repositories.Get(ctx, owner, name)
	if resp != nil && resp.StatusCode == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, a.classify(err, "read the repository "+owner+"/"+name, false)
	}
	repo := repoOf(got, as.Installation)
	repo.Private = got.GetPrivate() || got.GetVisibility() == "internal"
	return &repo, nil
}
