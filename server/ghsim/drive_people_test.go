package ghsim_test

import (
	"context"
	"errors"

	"github.com/google/go-github/v57/github"
)

func driveTeams(w *world) error {
	ctx, teams, repos := context.Background(), w.rest.Teams, w.rest.Repositories
	w.AddTeam("acme", "sre", "hubot")
	if err := w.SetTeamPermission(w.repo, "sre", "write"); err != nil {
		return err
	}
	number := w.pullRequest("asked")
	return run(
		func() error { _, _, err := teams.GetTeamBySlug(ctx, "acme", "sre"); return err },
		func() error { _, _, err := teams.ListTeamMembersBySlug(ctx, "acme", "sre", nil); return err },
		func() error { _, _, err := teams.GetTeamMembershipBySlug(ctx, "acme", "sre", "hubot"); return err },
		func() error { return isTrue(w.rest.Organizations.IsMember(ctx, "acme", "hubot")) },
		func() error { _, _, err := w.rest.Organizations.GetOrgMembership(ctx, "hubot", "acme"); return err },
		func() error { _, _, err := repos.ListCollaborators(ctx, "acme", "gitops", nil); return err },
		func() error { return isTrue(repos.IsCollaborator(ctx, "acme", "gitops", "hubot")) },
		func() error {
			_, _, err := w.rest.PullRequests.RequestReviewers(ctx, "acme", "gitops", number, github.ReviewersRequest{Reviewers: []string{"hubot"}, TeamReviewers: []string{"sre"}})
			return err
		},
		func() error {
			_, _, err := w.rest.PullRequests.ListReviewers(ctx, "acme", "gitops", number, nil)
			return err
		},
	)
}

func isTrue(is bool, _ *github.Response, err error) error {
	if err == nil && !is {
		return errors.New("it is not so")
	}
	return err
}

func driveLabels(w *world) error {
	ctx, issues, number := context.Background(), w.rest.Issues, w.pullRequest("labelled")
	return run(
		func() error {
			_, _, err := issues.CreateLabel(ctx, "acme", "gitops", &github.Label{Name: github.String("new"), Color: github.String("00ff00")})
			return err
		},
		func() error { _, _, err := issues.GetLabel(ctx, "acme", "gitops", "new"); return err },
		func() error { _, _, err := issues.ListLabels(ctx, "acme", "gitops", nil); return err },
		func() error {
			_, _, err := issues.ReplaceLabelsForIssue(ctx, "acme", "gitops", number, []string{"new"})
			return err
		},
		func() error { _, _, err := issues.ListLabelsByIssue(ctx, "acme", "gitops", number, nil); return err },
		func() error { _, err := issues.RemoveLabelForIssue(ctx, "acme", "gitops", number, "new"); return err },
	)
}
