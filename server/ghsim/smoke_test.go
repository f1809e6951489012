package ghsim_test

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/google/go-github/v57/github"
)

// One change goes the whole way: a push, a pull request, a check, a comment, a merge, each heard of by the App.
func TestStory(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	if got := w.events(); !slices.Equal(got, []string{"installation.created"}) {
		t.Fatalf("after installing: %v", got)
	}
	dir := w.clone("x-access-token", w.token())
	w.mustGit(dir, "switch", "-q", "-c", "stagecoach/default/dev/1")
	must(t, os.WriteFile(dir+"/envs/dev/kustomization.yaml", []byte("images:\n- name: web\n  newTag: 1.4.2\n"), 0o600))
	w.mustGit(dir, "commit", "-q", "-a", "-m", "Promote web 1.4.2 to dev")
	w.mustGit(dir, "push", "-q", "origin", "HEAD")
	head := w.mustGit(dir, "rev-parse", "HEAD")

	pr, _, err := w.rest.PullRequests.Create(ctx, "acme", "gitops", &github.NewPullRequest{
		Title: github.String("Promote"), Head: github.String("stagecoach/default/dev/1"), Base: github.String("main"), Body: github.String("b"),
	})
	must(t, err)
	_, _, err = w.rest.Checks.CreateCheckRun(ctx, "acme", "gitops", github.CreateCheckRunOptions{
		Name: "stagecoach/dev", HeadSHA: head, Conclusion: github.String("success"),
	})
	must(t, err)
	id, err := w.As("octocat").Comment(w.repo, pr.GetNumber(), "/promote prod")
	must(t, err)
	_, _, err = w.rest.Reactions.CreateIssueCommentReaction(ctx, "acme", "gitops", id, "eyes")
	must(t, err)
	merge, _, err := w.rest.PullRequests.Merge(ctx, "acme", "gitops", pr.GetNumber(), "", &github.PullRequestOptions{SHA: head, MergeMethod: "squash"})
	must(t, err)
	if got := w.Branches(w.repo)["main"]; got != merge.GetSHA() {
		t.Errorf("main is at %s, the merge said %s", got, merge.GetSHA())
	}
	if text, err := w.File(w.repo, "main", "envs/dev/kustomization.yaml"); err != nil || text != "images:\n- name: web\n  newTag: 1.4.2\n" {
		t.Errorf("main has %q, %v", text, err)
	}
	want := []string{
		"push", "check_suite.requested", "pull_request.opened", "check_run.created", "check_run.completed", "check_suite.completed", "issue_comment.created",
		"push", "check_suite.requested", "pull_request.closed",
	}
	if got := w.events(); !slices.Equal(got, want) {
		t.Errorf("events\n got %v\nwant %v", got, want)
	}
}
