package ghsim_test

import (
	"context"

	"github.com/google/go-github/v57/github"
)

func driveDeployments(w *world) error {
	ctx, repos := context.Background(), w.rest.Repositories
	var id, status int64
	return run(
		func() error {
			d, _, err := repos.CreateDeployment(ctx, "acme", "gitops", &github.DeploymentRequest{
				Ref: github.String("main"), AutoMerge: github.Bool(false), RequiredContexts: &[]string{}, Payload: map[string]string{"promotion": "dev.1"},
			})
			id = d.GetID()
			return err
		},
		func() error { _, _, err := repos.ListDeployments(ctx, "acme", "gitops", nil); return err },
		func() error { _, _, err := repos.GetDeployment(ctx, "acme", "gitops", id); return err },
		func() error {
			s, _, err := repos.CreateDeploymentStatus(ctx, "acme", "gitops", id, &github.DeploymentStatusRequest{State: github.String("success"), LogURL: github.String("https://ci.example.com/1")})
			status = s.GetID()
			return err
		},
		func() error { _, _, err := repos.ListDeploymentStatuses(ctx, "acme", "gitops", id, nil); return err },
		func() error { _, _, err := repos.GetDeploymentStatus(ctx, "acme", "gitops", id, status); return err },
		func() error {
			_, _, err := repos.Dispatch(ctx, "acme", "gitops", github.DispatchRequestOptions{EventType: "image"})
			return err
		},
	)
}
