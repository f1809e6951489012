package ghsim_test

import (
	"context"

	"github.com/google/go-github/v57/github"
)

func driveSuites(w *world) error {
	ctx, checks := context.Background(), w.rest.Checks
	var suite, check int64
	return run(
		func() error {
			all, _, err := checks.ListCheckSuitesForRef(ctx, "acme", "gitops", "main", nil)
			suite = all.CheckSuites[0].GetID()
			return err
		},
		func() error { _, _, err := checks.GetCheckSuite(ctx, "acme", "gitops", suite); return err },
		func() error {
			all, _, err := checks.ListCheckRunsCheckSuite(ctx, "acme", "gitops", suite, nil)
			check = all.CheckRuns[0].GetID()
			return err
		},
		func() error {
			_, _, err := checks.UpdateCheckRun(ctx, "acme", "gitops", check, github.UpdateCheckRunOptions{
				Name: "stagecoach/dev", Conclusion: github.String("failure"), Output: &github.CheckRunOutput{
					Title: github.String("t"), Summary: github.String("s"), Annotations: []*github.CheckRunAnnotation{{
						Path: github.String("a"), StartLine: github.Int(1), EndLine: github.Int(2), AnnotationLevel: github.String("failure"), Message: github.String("m"),
					}},
				},
			})
			return err
		},
		func() error {
			_, _, err := checks.ListCheckRunAnnotations(ctx, "acme", "gitops", check, nil)
			return err
		},
		func() error { _, err := checks.ReRequestCheckRun(ctx, "acme", "gitops", check); return err },
		func() error { _, err := checks.ReRequestCheckSuite(ctx, "acme", "gitops", suite); return err },
	)
}

func driveStatuses(w *world) error {
	ctx, repos, sha := context.Background(), w.rest.Repositories, w.Branches(w.repo)["main"]
	return run(
		func() error {
			_, _, err := repos.CreateStatus(ctx, "acme", "gitops", sha, &github.RepoStatus{State: github.String("success"), Context: github.String("ci/build")})
			return err
		},
		func() error { _, _, err := repos.ListStatuses(ctx, "acme", "gitops", "main", nil); return err },
		func() error { _, _, err := repos.GetCombinedStatus(ctx, "acme", "gitops", "main", nil); return err },
	)
}
