package ghapi

import (
	"context"
	"fmt"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// What is read of what people said: so many pages of a hundred comments, and of so many
// comments our reactions, the last ones. Each is a request.
const (
	mostSaidPages = 30
	mostSaid      = 200
)

// Said lists the comments of an issue or a pull request that hold commands and have our
// 👀, the oldest first, with our verdicts. Edited ones are left out, as in Owed.
func (a *API) Said(ctx context.Context, repo promotion.Repo, number int, isPull bool, commands func(body string) []promotion.Command) ([]promotion.Said, error) {
	r, err := a.repository(repo)
	if err != nil {
		return nil, err
	}
	said, err := r.saidOn(ctx, number, isPull, commands)
	if err != nil {
		return nil, a.classify(err, fmt.Sprintf("read the comments of #%d", number), false)
	}
	return said, nil
}

func (r *repository) saidOn(ctx context.Context, number int, isPull bool, commands func(body string) []promotion.Command) ([]promotion.Said, error) {
	var out []promotion.Said
	read := 0
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Issues.ListComments(ctx, r.Owner, r.Name, number, &github.IssueListCommentsOptions{ListOptions: page})
		read++
		for _, c := range list {
			if !mayBeSeen(c) {
				continue
			}
			s := promotion.Said{At: c.GetCreatedAt().Time, Commented: promotion.Commented{
				Comment: c.GetID(), Number: number, PullRequest: isPull, By: c.GetUser().GetLogin(), ByID: c.GetUser().GetID(), Commands: commands(c.GetBody()),
			}}
			if len(s.Commands) > 0 {
				out = append(out, s)
			}
		}
		return resp, read == mostSaidPages, err
	})
	if err != nil {
		return nil, err
	}
	out = out[max(0, len(out)-mostSaid):]
	seen := out[:0]
	for _, s := range out {
		ours, verdicts, err := r.reacted(ctx, s.Comment)
		if err != nil {
			return nil, err
		}
		if s.Verdicts = verdicts; ours {
			seen = append(seen, s)
		}
	}
	return seen, nil
}
