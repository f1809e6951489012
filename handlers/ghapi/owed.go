package ghapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Owed is a comment that was seen and not answered, as the delivery that told of it.
type Owed struct {
	Comment int64
	Payload []byte // of an issue_comment
}

// Owed lists the comments since a time that we gave 👀 and no verdict, and that the
// state does not know: a server took them, and was lost with all that it had on disk.
// It looks at the tracking issue and at the open pull requests of promotions: one
// request for a hundred comments of each, and one for each that may be owed. Edited
// comments are left out: what they say now was not said by whoever is their author.
func (a *API) Owed(ctx context.Context, repo promotion.Repo, s *promotion.State, since time.Time) ([]Owed, error) {
	r, err := a.repository(repo)
	if err != nil {
		return nil, err
	}
	var out []Owed
	for number, isPull := range talked(s) {
		more, err := r.owedOn(ctx, s, number, isPull, since)
		if err != nil {
			return nil, a.classify(err, fmt.Sprintf("read the comments of #%d", number), false)
		}
		out = append(out, more...)
	}
	slices.SortFunc(out, func(a, b Owed) int { return int(a.Comment - b.Comment) })
	return out, nil
}

// talked are the numbers under which people give commands, and whether each is a
// pull request.
func talked(s *promotion.State) map[int]bool {
	out := map[int]bool{}
	if s.Issue != 0 {
		out[s.Issue] = false
	}
	for _, ps := range s.Pipelines {
		for _, p := range ps.Promotions {
			if p.PullRequest != nil && p.PullRequest.State == "open" && !p.Phase.Terminal() {
				out[p.PullRequest.Number] = true
			}
		}
	}
	return out
}

func (r *repository) owedOn(ctx context.Context, s *promotion.State, number int, isPull bool, since time.Time) ([]Owed, error) {
	var out []Owed
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Issues.ListComments(ctx, r.Owner, r.Name, number, &github.IssueListCommentsOptions{Since: &since, ListOptions: page})
		for _, c := range list {
			if c.GetCreatedAt().Before(since) || !mayBeOwed(s, c) {
				continue
			}
			owed, err := r.isOwed(ctx, c.GetID())
			if err != nil {
				return resp, true, err
			}
			if owed {
				out = append(out, Owed{c.GetID(), r.delivery(c, number, isPull)})
			}
		}
		return resp, false, err
	})
	return out, err
}

// mayBeOwed judges by what the list shows: somebody's 👀, not edited, not known.
func mayBeOwed(s *promotion.State, c *github.IssueComment) bool {
	known := slices.ContainsFunc(s.Comments, func(k *promotion.CommentState) bool { return k.Comment == c.GetID() })
	return !known && mayBeSeen(c)
}

// mayBeSeen judges whether we saw what a person wrote, which nobody edited since.
func mayBeSeen(c *github.IssueComment) bool {
	return c.GetReactions().GetEyes() > 0 && c.GetUser().GetType() == "User" && c.GetUpdatedAt().Equal(c.GetCreatedAt())
}

// isOwed reports whether we reacted to a comment by nothing but 👀.
func (r *repository) isOwed(ctx context.Context, comment int64) (bool, error) {
	seen, verdicts, err := r.reacted(ctx, comment)
	return seen && len(verdicts) == 0, err
}

// reacted is how we reacted to a comment: whether by 👀, and by which verdicts.
func (r *repository) reacted(ctx context.Context, comment int64) (seen bool, verdicts []promotion.Verdict, err error) {
	us, err := r.api.App(ctx)
	if err != nil {
		return false, nil, err
	}
	err = pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Reactions.ListIssueCommentReactions(ctx, r.Owner, r.Name, comment, &page)
		for _, reaction := range list {
			if reaction.GetUser().GetLogin() != us.BotLogin {
				continue
			}
			if given := promotion.Verdict(reaction.GetContent()); given == promotion.VerdictSeen {
				seen = true
			} else {
				verdicts = append(verdicts, given)
			}
		}
		return resp, false, err
	})
	return seen, verdicts, err
}

// delivery is the payload that GitHub sent when the comment was made, as far as
// anybody reads it.
func (r *repository) delivery(c *github.IssueComment, number int, isPull bool) []byte {
	author := map[string]any{"id": c.GetUser().GetID(), "login": c.GetUser().GetLogin(), "type": c.GetUser().GetType()}
	issue := map[string]any{"number": number}
	if isPull {
		issue["pull_request"] = map[string]any{}
	}
	payload, err := json.Marshal(map[string]any{
		"action": "created", "issue": issue, "sender": author, "installation": map[string]any{"id": r.Installation},
		"comment":    map[string]any{"id": c.GetID(), "body": c.GetBody(), "user": author, "created_at": c.GetCreatedAt()},
		"repository": map[string]any{"id": r.ID, "name": r.Name, "full_name": r.FullName()},
	})
	if err != nil {
		panic("a comment is plain strings and numbers: " + err.Error())
	}
	return payload
}
