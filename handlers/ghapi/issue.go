package ghapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// Label marks the tracking issue, and is how it is found.
const Label = "stagecoach"

// ErrGone means that the tracking issue was deleted or transferred away.
var ErrGone = errors.New("the tracking issue was deleted or transferred")

// LedgerError says in which issue a ledger could not be read. Err is one of
// ledger's errors, or ErrGone. Issue is 0 when there is no tracking issue at
// all; Err is then ledger.ErrNone.
type LedgerError struct {
	Issue int
	Err   error
}

func (e *LedgerError) Error() string {
	if e.Issue == 0 {
		return "no tracking issue: " + e.Err.Error()
	}
	return fmt.Sprintf("tracking issue #%d: %v", e.Issue, e.Err)
}

func (e *LedgerError) Unwrap() error { return e.Err }

// ours reports whether an issue is the app's own work.
func (r *repository) ours(ctx context.Context, author *github.User) (bool, error) {
	us, err := r.api.App(ctx)
	return err == nil && author.GetLogin() == us.BotLogin, err
}

// readIssue reads an issue of this repository. It returns ErrGone when there is
// none of that number, or GitHub sends us on to another repository.
func (r *repository) readIssue(ctx context.Context, number int) (*github.Issue, error) {
	issue, _, err := r.Issues.Get(ctx, r.Owner, r.Name, number)
	switch {
	case status(err) == http.StatusNotFound, status(err) == http.StatusGone && !says(err, "disabled"):
		return nil, fmt.Errorf("%w: %w", ErrGone, err)
	case err != nil:
		return nil, err
	case issue.GetNumber() != number:
		return nil, ErrGone
	}
	here, err := r.here(ctx, issue)
	if err == nil && !here {
		err = ErrGone
	}
	if err != nil {
		return nil, err
	}
	return issue, nil
}

// here reports whether an issue is in this repository: a transferred one answers
// from another, but so does one whose repository was renamed a moment ago.
func (r *repository) here(ctx context.Context, issue *github.Issue) (bool, error) {
	_, at, found := strings.Cut(issue.GetRepositoryURL(), "/repos/")
	if !found || strings.EqualFold(at, r.FullName()) {
		return true, nil
	}
	now, err := r.api.Repository(ctx, r.Repo)
	return err == nil && strings.EqualFold(at, now.FullName()), err
}

// trackingIssues lists the app's own issues with the label, the oldest first,
// closed ones included. Pull requests are issues to GitHub, and are left out.
func (r *repository) trackingIssues(ctx context.Context) ([]*github.Issue, error) {
	var out []*github.Issue
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Issues.ListByRepo(ctx, r.Owner, r.Name, &github.IssueListByRepoOptions{
			Labels: []string{Label}, State: "all", Sort: "created", Direction: "asc", ListOptions: page,
		})
		for _, issue := range list {
			mine, err := r.ours(ctx, issue.GetUser())
			if err != nil {
				return resp, true, err
			}
			if mine && !issue.IsPullRequest() {
				out = append(out, issue)
			}
		}
		return resp, false, err
	})
	return out, err
}

// parts are the overflow comments of an issue that the app wrote, by hash.
func (r *repository) parts(ctx context.Context, number int) (map[string]*github.IssueComment, error) {
	out := map[string]*github.IssueComment{}
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Issues.ListComments(ctx, r.Owner, r.Name, number, &github.IssueListCommentsOptions{ListOptions: page})
		for _, c := range list {
			mine, err := r.ours(ctx, c.GetUser())
			if err != nil {
				return resp, true, err
			}
			if hash, ok := ledger.PartHash(c.GetBody()); ok && mine {
				out[hash] = c
			}
		}
		return resp, false, err
	})
	return out, err
}
