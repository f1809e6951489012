package ghsim_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestIssueList(t *testing.T) {
	w, ctx, octocat := newWorld(t), context.Background(), ghsim.Person{}
	octocat = w.As("octocat")
	for _, title := range []string{"one", "two", "three"} {
		_, err := octocat.CreateIssue(w.repo, title, "")
		must(t, err)
	}
	must(t, octocat.EditIssue(w.repo, 1, map[string]any{"labels": []string{"Stagecoach", "bug"}}))
	must(t, octocat.EditIssue(w.repo, 2, map[string]any{"labels": []string{"stagecoach"}, "state": "closed"}))
	_, _, err := w.rest.Issues.Create(ctx, "acme", "gitops", &github.IssueRequest{Title: github.String("four")})
	must(t, err)
	w.pullRequest("next")
	for name, c := range map[string]struct {
		opts github.IssueListByRepoOptions
		want []int
	}{
		"open is the default, pull requests are in it": {github.IssueListByRepoOptions{}, []int{5, 4, 3, 1}},
		"all":         {github.IssueListByRepoOptions{State: "all"}, []int{5, 4, 3, 2, 1}},
		"label":       {github.IssueListByRepoOptions{State: "all", Labels: []string{"stagecoach"}}, []int{2, 1}},
		"both labels": {github.IssueListByRepoOptions{State: "all", Labels: []string{"stagecoach", "bug"}}, []int{1}},
		"closed":      {github.IssueListByRepoOptions{State: "closed"}, []int{2}},
		"creator":     {github.IssueListByRepoOptions{Creator: "stagecoach[bot]"}, []int{4}},
		"oldest":      {github.IssueListByRepoOptions{Direction: "asc"}, []int{1, 3, 4, 5}},
	} {
		issues, _, err := w.rest.Issues.ListByRepo(ctx, "acme", "gitops", &c.opts)
		must(t, err)
		var got []int
		for _, i := range issues {
			got = append(got, i.GetNumber())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// An over-long body is refused when creating, and silently kept out when updating.
func TestOverlongBodies(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	long, longest := strings.Repeat("x", 262145), strings.Repeat("x", 262144)
	if _, _, err := w.rest.Issues.Create(ctx, "acme", "gitops", &github.IssueRequest{Title: github.String("x"), Body: &long}); status(err) != 422 {
		t.Errorf("create: %v", err)
	}
	i, _, err := w.rest.Issues.Create(ctx, "acme", "gitops", &github.IssueRequest{Title: github.String("x"), Body: github.String("short")})
	must(t, err)
	if _, _, err := w.rest.Issues.CreateComment(ctx, "acme", "gitops", i.GetNumber(), &github.IssueComment{Body: &long}); status(err) != 422 {
		t.Errorf("comment: %v", err)
	}
	got, _, err := w.rest.Issues.Edit(ctx, "acme", "gitops", i.GetNumber(), &github.IssueRequest{Body: &long})
	if err != nil || got.GetBody() != "short" {
		t.Errorf("update: %v, body of %d", err, len(got.GetBody()))
	}
	got, _, err = w.rest.Issues.Edit(ctx, "acme", "gitops", i.GetNumber(), &github.IssueRequest{Body: &longest})
	if err != nil || got.GetBody() != longest {
		t.Errorf("update with the longest: %v, body of %d", err, len(got.GetBody()))
	}
}

func TestIssueWrites(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	must(t, w.SetPermission(w.repo, "hubot", "read"))
	if err := w.As("hubot").Do("POST", "/repos/acme/gitops/issues", map[string]any{"title": "x", "labels": []string{"bug"}}, nil); err != nil {
		t.Fatal(err)
	}
	if got := w.Issues(w.repo)[0].Labels; got != nil {
		t.Errorf("a reader set the labels %v", got)
	}
	if _, _, err := w.rest.Issues.Create(ctx, "acme", "gitops", &github.IssueRequest{Title: github.String(" ")}); status(err) != 422 {
		t.Errorf("blank title: %v", err)
	}
	if _, _, err := w.rest.Issues.Get(ctx, "acme", "gitops", 99); status(err) != 404 {
		t.Errorf("unknown issue: %v", err)
	}
	must(t, w.As("octocat").EditIssue(w.repo, 1, map[string]any{"state": "closed"}))
	got := w.Issues(w.repo)[0]
	if got.State != "closed" || got.Closed.IsZero() {
		t.Errorf("%+v", got)
	}
	off, err := w.CreateRepo("acme", "off", ghsim.RepoOptions{NoIssues: true})
	must(t, err)
	must(t, w.AddToInstallation(w.inst, off))
	if _, _, err := w.rest.Issues.Create(ctx, "acme", "off", &github.IssueRequest{Title: github.String("x")}); status(err) != 410 {
		t.Errorf("issues are off: %v", err)
	}
	if _, _, err := w.rest.Issues.ListByRepo(ctx, "acme", "off", nil); status(err) != 410 {
		t.Errorf("issues are off: %v", err)
	}
}

func TestComments(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	_, err := w.As("octocat").CreateIssue(w.repo, "x", "")
	must(t, err)
	id, err := w.As("octocat").Comment(w.repo, 1, "/promote prod")
	must(t, err)
	must(t, w.SetPermission(w.repo, "hubot", "read"))
	if err := w.As("hubot").EditComment(w.repo, id, "x"); err == nil {
		t.Error("a reader edited the comment of another")
	}
	for n, want := range []int{201, 200} {
		_, resp, err := w.rest.Reactions.CreateIssueCommentReaction(ctx, "acme", "gitops", id, "eyes")
		if err != nil || resp.StatusCode != want {
			t.Errorf("reaction %d: %v %v", n+1, resp, err)
		}
	}
	if _, _, err := w.rest.Reactions.CreateIssueCommentReaction(ctx, "acme", "gitops", id, "tada"); status(err) != 422 {
		t.Errorf("unknown reaction: %v", err)
	}
	got := w.Comments(w.repo, 1)
	if len(got) != 1 || len(got[0].Reactions) != 1 || got[0].Reactions[0] != (ghsim.Reaction{Author: "stagecoach[bot]", Content: "eyes"}) {
		t.Errorf("%+v", got)
	}
	c, _, err := w.rest.Issues.GetComment(ctx, "acme", "gitops", id)
	must(t, err)
	if c.GetReactions().GetEyes() != 1 || c.GetReactions().GetTotalCount() != 1 {
		t.Errorf("%+v", c.GetReactions())
	}
	_, err = w.rest.Issues.DeleteComment(ctx, "acme", "gitops", id)
	must(t, err)
	if _, _, err := w.rest.Issues.GetComment(ctx, "acme", "gitops", id); status(err) != 404 {
		t.Errorf("deleted comment: %v", err)
	}
	if w.Comments(w.repo, 1) != nil {
		t.Error("the deleted comment is still listed")
	}
}
