package ghapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/google/go-github/v57/github"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// maxAPIContent bounds what one tree carries, in bytes: with much of it GitHub
// runs into its own time limit. More is pushed.
const maxAPIContent = 8 << 20

// Commit makes a commit through the API, so that GitHub signs it, and moves the
// branch to it, in three writes: tree, commit, ref; one more for each file that
// is no UTF-8 text. A branch that moved is promotion.ErrStale; GitHub compares
// by asking whether the new commit is ahead of the tip. What the API cannot
// carry is promotion.ErrNotByAPI, and then nothing has changed.
func (a *API) Commit(ctx context.Context, repo promotion.Repo, c promotion.APICommit) (sha string, err error) {
	r, err := a.repository(repo)
	if err == nil {
		sha, err = r.commit(ctx, c)
	}
	if errors.Is(err, promotion.ErrNotByAPI) || errors.Is(err, promotion.ErrStale) {
		return "", err
	}
	return sha, a.classify(err, "commit to "+c.Branch, false)
}

func (r *repository) commit(ctx context.Context, c promotion.APICommit) (string, error) {
	if err := r.writeTree(ctx, c); err != nil {
		return "", err
	}
	sha, err := r.writeCommit(ctx, c)
	if err != nil {
		return "", err
	}
	if c.Loose {
		return sha, nil
	}
	return sha, r.moveBranch(ctx, c, sha)
}

// writeTree makes the commit's tree, which must be the one that a push would send.
func (r *repository) writeTree(ctx context.Context, c promotion.APICommit) error {
	entries, err := r.treeEntries(ctx, c.Files)
	if err != nil {
		return notByAPI(err)
	}
	tree, _, err := r.Git.CreateTree(ctx, r.Owner, r.Name, c.BaseTree, entries)
	if err != nil {
		return notByAPI(err)
	}
	if tree.GetSHA() != c.Tree {
		return fmt.Errorf("%w: it makes the tree %.7s of it, not %.7s", promotion.ErrNotByAPI, tree.GetSHA(), c.Tree)
	}
	return nil
}

// notByAPI recognises that GitHub does not take what a commit holds: an empty
// repository (409), or entries that it finds wrong (422).
func notByAPI(err error) error {
	if s := status(err); s == http.StatusConflict || s == http.StatusUnprocessableEntity {
		return fmt.Errorf("%w: %w", promotion.ErrNotByAPI, err)
	}
	return err
}

func (r *repository) treeEntries(ctx context.Context, files []promotion.File) ([]*github.TreeEntry, error) {
	total := 0
	var entries []*github.TreeEntry
	for _, f := range files {
		if total += len(f.Content); total > maxAPIContent {
			return nil, fmt.Errorf("%w: its files take more than %d MiB", promotion.ErrNotByAPI, maxAPIContent>>20)
		}
		if !utf8.ValidString(f.Path) {
			return nil, fmt.Errorf("%w: the name %q is no UTF-8", promotion.ErrNotByAPI, f.Path)
		}
		e, err := r.treeEntry(ctx, f)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// treeEntry is one changed file. A text travels in the tree itself; one without
// content and hash is deleted.
func (r *repository) treeEntry(ctx context.Context, f promotion.File) (*github.TreeEntry, error) {
	e := &github.TreeEntry{Path: &f.Path, Type: github.String("blob"), Mode: github.String(fmt.Sprintf("%06o", f.Mode))}
	if f.Deleted {
		e.Mode = github.String("100644")
		return e, nil
	}
	if f.Blob != "" { // GitHub holds it already
		e.SHA = github.String(f.Blob)
		return e, nil
	}
	if utf8.Valid(f.Content) {
		e.Content = github.String(string(f.Content))
		return e, nil
	}
	blob, _, err := r.Git.CreateBlob(ctx, r.Owner, r.Name, &github.Blob{
		Content: github.String(base64.StdEncoding.EncodeToString(f.Content)), Encoding: github.String("base64"),
	})
	e.SHA = blob.SHA
	return e, err
}

// writeCommit leaves author and committer out: with either, GitHub does not sign.
// https://docs.github.com/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots
func (r *repository) writeCommit(ctx context.Context, c promotion.APICommit) (string, error) {
	want := &github.Commit{Message: &c.Message, Tree: &github.Tree{SHA: &c.Tree}}
	if c.Parent != "" {
		want.Parents = []*github.Commit{{SHA: &c.Parent}}
	}
	made, _, err := r.Git.CreateCommit(ctx, r.Owner, r.Name, want, nil)
	if err != nil {
		return "", err
	}
	if v := made.GetVerification(); !v.GetVerified() {
		zerolog.Ctx(ctx).Warn().Str("commit", made.GetSHA()).Str("reason", v.GetReason()).
			Msg("GitHub did not sign a commit that `commits: {verified: true}` asks for")
	}
	return made.GetSHA(), nil
}

// moveBranch makes the branch, or moves it if its tip is the commit's parent.
func (r *repository) moveBranch(ctx context.Context, c promotion.APICommit, sha string) error {
	ref := &github.Reference{Ref: github.String("refs/heads/" + c.Branch), Object: &github.GitObject{SHA: &sha}}
	var err error
	if c.Old == "" {
		_, _, err = r.Git.CreateRef(ctx, r.Owner, r.Name, ref)
	} else {
		_, _, err = r.Git.UpdateRef(ctx, r.Owner, r.Name, ref, false)
	}
	switch {
	case says(err, "reference already exists"), says(err, "not a fast forward"), says(err, "reference does not exist"):
		return fmt.Errorf("move %s: %w", c.Branch, promotion.ErrStale)
	case says(err, "protected branch"), says(err, "rule violations"):
		return promotion.Terminal(fmt.Errorf(
			"the commit to %s was refused: let the app bypass the branch's rules, or set `deliver: pull-request` (%w)", c.Branch, err))
	}
	return err
}
