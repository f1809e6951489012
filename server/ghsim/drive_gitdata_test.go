package ghsim_test

import (
	"context"
	"errors"

	"github.com/google/go-github/v57/github"
)

// driveGitData commits by the API, as an App that wants its commits signed does.
func driveGitData(w *world) error {
	ctx, git := context.Background(), w.rest.Git
	var blob *github.Blob
	var tree *github.Tree
	var commit *github.Commit
	var main *github.Reference
	ref := func() *github.Reference {
		return &github.Reference{Ref: github.String("refs/heads/by-api"), Object: &github.GitObject{SHA: commit.SHA}}
	}
	return run(
		func() (err error) { main, _, err = git.GetRef(ctx, "acme", "gitops", "heads/main"); return err },
		func() (err error) {
			blob, _, err = git.CreateBlob(ctx, "acme", "gitops", &github.Blob{Content: github.String("/wA="), Encoding: github.String("base64")})
			return err
		},
		func() (err error) {
			tree, _, err = git.CreateTree(ctx, "acme", "gitops", main.GetObject().GetSHA(), []*github.TreeEntry{
				{Path: github.String("bin/run"), Mode: github.String("100755"), Type: github.String("blob"), SHA: blob.SHA},
				{Path: github.String("new.yaml"), Mode: github.String("100644"), Type: github.String("blob"), Content: github.String("a: 1\n")},
			})
			return err
		},
		func() (err error) {
			commit, _, err = git.CreateCommit(ctx, "acme", "gitops", &github.Commit{
				Message: github.String("By the API"), Tree: tree, Parents: []*github.Commit{{SHA: main.GetObject().SHA}},
			}, nil)
			if err == nil && !commit.GetVerification().GetVerified() {
				err = errors.New("the commit is not signed")
			}
			return err
		},
		func() error { _, _, err := git.CreateRef(ctx, "acme", "gitops", ref()); return err },
		func() error { _, _, err := git.UpdateRef(ctx, "acme", "gitops", ref(), false); return err },
		func() error { _, err := git.DeleteRef(ctx, "acme", "gitops", "heads/by-api"); return err },
	)
}
