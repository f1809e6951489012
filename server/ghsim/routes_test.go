package ghsim_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// Every served route is driven, by go-github where it can, and each answer must be one that GitHub's description allows.
func TestEveryRouteAnswersAsDescribed(t *testing.T) {
	if description() == nil {
		t.Skip("GitHub's API description (shared/github) is not beside this checkout")
	}
	w := newWorld(t)
	for _, drive := range []func(*world) error{driveApp, driveRepository, driveIssues, driveChecks, driveSuites, driveStatuses, drivePulls, driveReviews, driveTeams, driveLabels, driveRules, driveDeployments, driveReleases, driveGitData, driveRefs} {
		must(t, drive(w))
	}
	for _, template := range ghsim.Templates() {
		if !w.judge.seen[template] {
			t.Errorf("no request was answered well by %s", template)
		}
	}
}

// run executes calls until one fails.
func run(calls ...func() error) error {
	for n, call := range calls {
		if err := call(); err != nil {
			return fmt.Errorf("call %d: %w", n+1, err)
		}
	}
	return nil
}

func driveApp(w *world) error {
	ctx, apps := context.Background(), w.jwt.Apps
	var delivery int64
	return run(
		func() error { _, _, err := apps.Get(ctx, ""); return err },
		func() error { _, _, err := apps.ListInstallations(ctx, nil); return err },
		func() error { _, _, err := apps.GetInstallation(ctx, w.inst); return err },
		func() error { _, _, err := apps.FindRepositoryInstallation(ctx, w.repo.Owner, w.repo.Name); return err },
		func() error {
			_, _, err := apps.CreateInstallationToken(ctx, w.inst, &github.InstallationTokenOptions{RepositoryIDs: []int64{w.repo.ID}})
			return err
		},
		func() error { _, _, err := w.rest.Apps.ListRepos(ctx, nil); return err },
		func() error {
			all, _, err := apps.ListHookDeliveries(ctx, nil)
			if err == nil && len(all) == 0 {
				return errors.New("no deliveries")
			}
			delivery = all[0].GetID()
			return err
		},
		func() error { _, _, err := apps.GetHookDelivery(ctx, delivery); return err },
		func() error { _, _, err := apps.GetHookConfig(ctx); return err },
		func() error {
			_, _, err := apps.UpdateHookConfig(ctx, &github.HookConfig{Secret: github.String("another")})
			return err
		},
		func() error {
			_, _, err := apps.RedeliverHookDelivery(ctx, delivery)
			var accepted *github.AcceptedError
			if errors.As(err, &accepted) {
				return nil
			}
			return fmt.Errorf("redelivery: want 202, got %v", err)
		},
		func() error { _, _, err := w.rest.RateLimit.Get(ctx); return err },
		func() error { return driveUser(w) },
		func() error {
			code, err := w.agree(wish(w.t, nil), "", "octocat")
			if err == nil {
				_, _, err = w.client(w.conn).Apps.CompleteAppManifest(ctx, code)
			}
			return err
		},
	)
}

func driveRepository(w *world) error {
	ctx := context.Background()
	return run(
		func() error { _, _, err := w.rest.Repositories.Get(ctx, "acme", "gitops"); return err },
		func() error {
			_, _, err := w.rest.Repositories.GetPermissionLevel(ctx, "acme", "gitops", "octocat")
			return err
		},
		func() error { _, _, err := w.rest.Users.Get(ctx, "stagecoach[bot]"); return err },
	)
}

func driveIssues(w *world) error {
	ctx, issues := context.Background(), w.rest.Issues
	var number int
	var comment int64
	return run(
		func() error {
			i, _, err := issues.Create(ctx, "acme", "gitops", &github.IssueRequest{Title: github.String("Promotions"), Labels: &[]string{"stagecoach"}})
			number = i.GetNumber()
			return err
		},
		func() error { _, _, err := issues.Get(ctx, "acme", "gitops", number); return err },
		func() error {
			_, _, err := issues.Edit(ctx, "acme", "gitops", number, &github.IssueRequest{Body: github.String("state")})
			return err
		},
		func() error {
			_, _, err := issues.ListByRepo(ctx, "acme", "gitops", &github.IssueListByRepoOptions{Labels: []string{"stagecoach"}})
			return err
		},
		func() error {
			_, _, err := issues.AddLabelsToIssue(ctx, "acme", "gitops", number, []string{"promotion"})
			return err
		},
		func() error {
			c, _, err := issues.CreateComment(ctx, "acme", "gitops", number, &github.IssueComment{Body: github.String("a")})
			comment = c.GetID()
			return err
		},
		func() error { _, _, err := issues.ListComments(ctx, "acme", "gitops", number, nil); return err },
		func() error { _, _, err := issues.GetComment(ctx, "acme", "gitops", comment); return err },
		func() error {
			_, _, err := issues.EditComment(ctx, "acme", "gitops", comment, &github.IssueComment{Body: github.String("b")})
			return err
		},
		func() error {
			_, _, err := w.rest.Reactions.CreateIssueCommentReaction(ctx, "acme", "gitops", comment, "eyes")
			return err
		},
		func() error {
			_, _, err := w.rest.Reactions.ListIssueCommentReactions(ctx, "acme", "gitops", comment, nil)
			return err
		},
		func() error { _, err := issues.DeleteComment(ctx, "acme", "gitops", comment); return err },
	)
}

func driveChecks(w *world) error {
	ctx, checks := context.Background(), w.rest.Checks
	var id int64
	return run(
		func() error {
			run, _, err := checks.CreateCheckRun(ctx, "acme", "gitops", github.CreateCheckRunOptions{Name: "stagecoach/dev", HeadSHA: w.Branches(w.repo)["main"]})
			id = run.GetID()
			return err
		},
		func() error {
			_, _, err := checks.UpdateCheckRun(ctx, "acme", "gitops", id, github.UpdateCheckRunOptions{
				Name: "stagecoach/dev", Conclusion: github.String("success"), Output: &github.CheckRunOutput{Title: github.String("t"), Summary: github.String("s")},
			})
			return err
		},
		func() error { _, _, err := checks.GetCheckRun(ctx, "acme", "gitops", id); return err },
		func() error { _, _, err := checks.ListCheckRunsForRef(ctx, "acme", "gitops", "main", nil); return err },
	)
}

func drivePulls(w *world) error {
	ctx, pulls := context.Background(), w.rest.PullRequests
	number := w.pullRequest("next")
	one := "/api/v3/repos/acme/gitops/pulls/" + strconv.Itoa(number)
	return run(
		func() error { _, _, err := pulls.Get(ctx, "acme", "gitops", number); return err },
		func() error { _, _, err := pulls.Get(ctx, "acme", "gitops", number); return err },
		func() error { _, _, err := pulls.List(ctx, "acme", "gitops", nil); return err },
		func() error {
			_, _, err := pulls.Edit(ctx, "acme", "gitops", number, &github.PullRequest{Title: github.String("other")})
			return err
		},
		func() error { _, _, err := pulls.ListFiles(ctx, "acme", "gitops", number, nil); return err },
		func() error {
			_, _, err := pulls.ListPullRequestsWithCommit(ctx, "acme", "gitops", w.Branches(w.repo)["next"], nil)
			return err
		},
		func() error { _, _, err := pulls.Merge(ctx, "acme", "gitops", number, "", nil); return err },
		func() error { status, _, _ := w.send("GET", one, w.token(), ""); return wantStatus(status, 200) },
		func() error {
			other := w.pullRequest("another")
			_, _, err := pulls.Create(ctx, "acme", "gitops", &github.NewPullRequest{Title: github.String("x"), Head: github.String("another"), Base: github.String("next")})
			_ = other
			return err
		},
	)
}

func wantStatus(got, want int) error {
	if got != want {
		return fmt.Errorf("status %d, want %d", got, want)
	}
	return nil
}

func driveRefs(w *world) error {
	ctx := context.Background()
	return run(
		func() error { _, _, err := w.rest.Git.GetRef(ctx, "acme", "gitops", "heads/main"); return err },
		func() error { _, _, err := w.rest.Repositories.GetBranch(ctx, "acme", "gitops", "main", 0); return err },
		func() error { _, _, err := w.rest.Repositories.ListBranches(ctx, "acme", "gitops", nil); return err },
		func() error { _, _, err := w.rest.Repositories.ListCommits(ctx, "acme", "gitops", nil); return err },
		func() error { _, err := w.rest.Git.DeleteRef(ctx, "acme", "gitops", "heads/next"); return err },
	)
}
