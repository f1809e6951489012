package ghsim_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// forked is a public repository, and a pull request from a stranger's fork of it.
func forked(w *world) (repo, fork ghsim.Repo, number int) {
	w.t.Helper()
	repo, err := w.CreateRepo("acme", "web", ghsim.RepoOptions{Files: map[string]string{"a": "1\n"}})
	must(w.t, err)
	must(w.t, w.AddToInstallation(w.inst, repo))
	must(w.t, w.SetPermission(repo, "octocat", "write"))
	stranger := w.As("stranger")
	fork, err = stranger.Fork(repo)
	must(w.t, err)
	_, err = stranger.Commit(fork, "fix", map[string]string{"a": "2\n"}, "Fix")
	must(w.t, err)
	w.take()
	number, err = stranger.CreatePR(repo, "stranger:fix", "main", "Fix", "")
	must(w.t, err)
	return repo, fork, number
}

func TestPullRequestFromFork(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	repo, fork, number := forked(w)
	pull, _, err := w.rest.PullRequests.Get(ctx, "acme", "web", number)
	must(t, err)
	if pull.GetHead().GetLabel() != "stranger:fix" || pull.GetHead().GetRepo().GetID() != fork.ID || !pull.GetHead().GetRepo().GetFork() || pull.GetBase().GetRepo().GetID() != repo.ID {
		t.Errorf("head %+v", pull.GetHead())
	}
	if got := w.events(); !slices.Equal(got, []string{"pull_request.opened"}) {
		t.Errorf("events %v", got)
	}
	sha, err := w.As("stranger").Commit(fork, "fix", map[string]string{"b": "3\n"}, "More")
	must(t, err)
	if got := w.events(); !slices.Equal(got, []string{"pull_request.synchronize"}) {
		t.Errorf("a push to the fork: %v", got)
	}
	run, _, err := w.rest.Checks.CreateCheckRun(ctx, "acme", "web", github.CreateCheckRunOptions{Name: "stagecoach", HeadSHA: sha})
	must(t, err)
	if len(run.PullRequests) != 0 {
		t.Error("a check run on a fork's commit names pull requests")
	}
	if _, err := w.As("stranger").CreatePR(repo, "main", "fix", "x", ""); refusal(err) != 422 && refusal(err) != 403 {
		t.Errorf("a stranger offered a branch that is not theirs: %v", err)
	}
	if err := w.As("octocat").Do("PUT", "/repos/acme/web/pulls/1/update-branch", nil, nil); refusal(err) != 403 {
		t.Errorf("update of a fork's branch: %v", err)
	}
	_, err = w.As("octocat").Merge(repo, number, "squash")
	must(t, err)
	if content, err := w.File(repo, "main", "a"); err != nil || content != "2\n" {
		t.Errorf("merged %q %v", content, err)
	}
}

// A fork that is gone leaves its pull request without head repository; the commits stay.
func TestDeletedFork(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	repo, fork, number := forked(w)
	must(t, w.DeleteRepo(fork))
	w.judge.mute() // GitHub answers null for the repository, and its description knows nothing of it
	pull, _, err := w.rest.PullRequests.Get(ctx, "acme", "web", number)
	must(t, err)
	if pull.GetHead().Repo != nil || pull.GetState() != "open" || pull.GetHead().GetLabel() != "stranger:fix" {
		t.Errorf("%+v", pull.GetHead())
	}
	if got := w.PullRequests(repo)[0].Fork; got != "stranger" {
		t.Errorf("fork of %q", got)
	}
	if files, _, err := w.rest.PullRequests.ListFiles(ctx, "acme", "web", number, nil); err != nil || len(files) != 1 {
		t.Errorf("files %v %v", files, err)
	}
}

// A transfer is heard of on the new side alone; the old name leads to the new place.
func TestTransfer(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	inst, err := w.Install(w.app.ID, "octo-org")
	must(t, err)
	w.take()
	moved, err := w.TransferRepo(w.repo, "octo-org")
	must(t, err)
	got := w.take()
	if len(got) != 1 || got[0].event() != "repository" || got[0].payload(t)["installation"].(map[string]any)["id"] != float64(inst) {
		t.Fatalf("%d events", len(got))
	}
	if _, _, err := w.rest.Repositories.Get(ctx, "acme", "gitops"); status(err) != 404 {
		t.Errorf("the old installation: %v", err)
	}
	w.judge.mute() // the redirect leads to an address by ID, which GitHub does not describe
	rest, _ := w.clients(inst)
	repo, _, err := rest.Repositories.Get(ctx, "acme", "gitops")
	must(t, err)
	if repo.GetFullName() != "octo-org/gitops" || repo.GetID() != moved.ID {
		t.Errorf("%s", repo.GetFullName())
	}
}
