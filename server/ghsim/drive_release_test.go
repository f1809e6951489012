package ghsim_test

import (
	"context"

	"github.com/google/go-github/v57/github"
)

func driveReleases(w *world) error {
	ctx, repos := context.Background(), w.rest.Repositories
	var id int64
	return run(
		func() error {
			rel, _, err := repos.CreateRelease(ctx, "acme", "gitops", &github.RepositoryRelease{TagName: github.String("v1.0.0")})
			id = rel.GetID()
			return err
		},
		func() error { _, _, err := repos.ListReleases(ctx, "acme", "gitops", nil); return err },
		func() error { _, _, err := repos.GetLatestRelease(ctx, "acme", "gitops"); return err },
		func() error { _, _, err := repos.GetReleaseByTag(ctx, "acme", "gitops", "v1.0.0"); return err },
		func() error {
			_, _, err := repos.EditRelease(ctx, "acme", "gitops", id, &github.RepositoryRelease{Name: github.String("One")})
			return err
		},
		func() error { _, err := repos.DeleteRelease(ctx, "acme", "gitops", id); return err },
	)
}
