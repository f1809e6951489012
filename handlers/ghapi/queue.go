package ghapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// enqueue puts a pull request into the merge queue of its base, naming the head
// that may be merged. Being in it already is as good. Only GraphQL can do it, and
// where there is none a person has to.
func (r *repository) enqueue(ctx context.Context, pr *github.PullRequest, waiting promotion.Result) (promotion.Result, error) {
	base := pr.GetBase().GetRef()
	waiting.Message = fmt.Sprintf("In the merge queue of %s", base)
	const mutation = `mutation($pull: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: {pullRequestId: $pull, expectedHeadOid: $head}) { clientMutationId }
}`
	err := r.graphQL(ctx, mutation, map[string]any{"pull": pr.GetNodeID(), "head": pr.GetHead().GetSHA()})
	var refused *graphQLError
	switch {
	case errors.Is(err, errNoGraphQL):
		waiting.Message = fmt.Sprintf("%s has a merge queue, and this GitHub has no GraphQL to use it: put it there by hand", base)
	case errors.As(err, &refused) && !strings.Contains(strings.ToLower(refused.text), "already in the queue"):
		waiting.Message = "Waiting until the merge queue takes it: " + cut(refused.text, 200)
	case err != nil && refused == nil:
		return waiting, err
	default:
		waiting.Queued = true
	}
	return waiting, nil
}

var errNoGraphQL = errors.New("there is no GraphQL here")

// graphQLError is what GitHub says in an answer that is a 200 all the same.
type graphQLError struct{ text string }

func (e *graphQLError) Error() string { return e.text }

// graphQL sends a mutation.
func (r *repository) graphQL(ctx context.Context, query string, variables map[string]any) error {
	if r.api.opts.V4URL == "" {
		return errNoGraphQL
	}
	req, err := r.NewRequest(http.MethodPost, r.api.opts.V4URL, map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	var answer struct {
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	_, err = r.Do(ctx, req, &answer)
	switch {
	case status(err) == http.StatusNotFound:
		return errNoGraphQL
	case err != nil:
		return err
	case len(answer.Errors) > 0:
		return &graphQLError{answer.Errors[0].Message}
	}
	return nil
}
