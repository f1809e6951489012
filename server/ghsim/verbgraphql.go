package ghsim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// EnableAutoMerge has a pull request merged by merge, squash or rebase as soon as the base's rules allow it.
func (p hands) EnableAutoMerge(repo Repo, number int, method string) error {
	return p.onPull(repo, number, "enablePullRequestAutoMerge", obj{"mergeMethod": strings.ToUpper(method)})
}

// DisableAutoMerge takes EnableAutoMerge back.
func (p hands) DisableAutoMerge(repo Repo, number int) error {
	return p.onPull(repo, number, "disablePullRequestAutoMerge", obj{})
}

// Enqueue puts a pull request into the merge queue of its base.
func (p hands) Enqueue(repo Repo, number int) error {
	return p.onPull(repo, number, "enqueuePullRequest", obj{})
}

// onPull runs a mutation on a pull request.
func (p hands) onPull(repo Repo, number int, mutation string, in obj) error {
	var pull struct {
		NodeID string `json:"node_id"`
	}
	if err := p.Do(http.MethodGet, p.at(repo, "/pulls/%d", number), nil, &pull); err != nil {
		return err
	}
	in["pullRequestId"] = pull.NodeID
	query := fmt.Sprintf("mutation($input: Input!) { %s(input: $input) { clientMutationId } }", mutation)
	return p.GraphQL(query, obj{"input": in}, nil)
}

// GraphQL sends a query or mutation and decodes its data into out, unless that is nil. Errors in a 200 are errors.
func (p hands) GraphQL(query string, variables map[string]any, out any) error {
	var answer struct {
		Data   json.RawMessage
		Errors []struct{ Message string }
	}
	if err := p.Do(http.MethodPost, "/graphql", obj{"query": query, "variables": variables}, &answer); err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		return fmt.Errorf("GraphQL as %s: %s", p.login, answer.Errors[0].Message)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Data, out); err != nil {
		return fmt.Errorf("GraphQL as %s: answer: %w", p.login, err)
	}
	return nil
}
