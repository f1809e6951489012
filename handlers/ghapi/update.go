package ghapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/go-github/v57/github"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// updateLedger writes into the issue s.Issue: the overflow first, so that what
// the body names is there. What no body names any more is deleted afterwards.
func (r *repository) updateLedger(ctx context.Context, s *promotion.State) error {
	body, err := r.encode(s)
	if err != nil {
		return err
	}
	stale, err := r.writeParts(ctx, s.Issue, body.Overflow)
	if err != nil {
		return r.goneOr(ctx, s.Issue, err)
	}
	issue, _, err := r.Issues.Edit(ctx, r.Owner, r.Name, s.Issue, &github.IssueRequest{
		Title: &body.Title, Body: &body.Text, State: github.String("open"),
	})
	if err != nil {
		return r.goneOr(ctx, s.Issue, err)
	}
	if err := r.wrote(ctx, issue, body.Text); err != nil {
		return err
	}
	for _, c := range stale {
		if _, err := r.Issues.DeleteComment(ctx, r.Owner, r.Name, c.GetID()); err != nil {
			zerolog.Ctx(ctx).Warn().Err(err).Int64("comment", c.GetID()).Msg("an old part of the ledger could not be deleted")
		}
	}
	return nil
}

// writeParts writes the overflow comments that are not there yet, and returns
// those that are there for nothing.
func (r *repository) writeParts(ctx context.Context, issue int, texts []string) (stale []*github.IssueComment, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	there, err := r.parts(ctx, issue)
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		hash, _ := ledger.PartHash(text)
		if there[hash] != nil {
			delete(there, hash)
			continue
		}
		if _, _, err := r.Issues.CreateComment(ctx, r.Owner, r.Name, issue, &github.IssueComment{Body: &text}); err != nil {
			return nil, err
		}
	}
	for _, c := range there {
		stale = append(stale, c)
	}
	return stale, nil
}

// goneOr turns the error of a write into ErrGone if the issue is. It is asked
// again after a while: one that was made a moment ago may not be known everywhere.
func (r *repository) goneOr(ctx context.Context, number int, err error) error {
	var moved *movedError
	if code := status(err); code != http.StatusNotFound && code != http.StatusGone && !errors.As(err, &moved) {
		return err
	}
	if err := r.api.sleep(ctx, listLag); err != nil {
		return err
	}
	if _, gone := r.readIssue(ctx, number); errors.Is(gone, ErrGone) {
		return gone
	}
	return err
}
