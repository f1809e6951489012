package ghsim

import (
	"slices"
	"strings"
)

// mutation is one that is served. It gets its target, which is of the kind that its input names.
type mutation struct {
	target string // the input's member that holds the target's ID
	needs  string // an App's permissions
	gives  string // the member of the payload that shows the target
	run    func(*call, *issue, obj) error
}

func mutations() map[string]mutation {
	const pull, pulls = "pullRequestId", "pull_requests=write"
	return map[string]mutation{
		"enablePullRequestAutoMerge":    {pull, pulls + ",contents=write", "pullRequest", (*call).enableAutoMerge},
		"disablePullRequestAutoMerge":   {pull, pulls + ",contents=write", "pullRequest", (*call).disableAutoMerge},
		"enqueuePullRequest":            {pull, pulls + ",contents=write", "mergeQueueEntry", (*call).enqueue},
		"dequeuePullRequest":            {"id", pulls + ",contents=write", "mergeQueueEntry", (*call).dequeue},
		"markPullRequestReadyForReview": {pull, pulls, "pullRequest", func(c *call, i *issue, _ obj) error { return c.redraft(i, false) }},
		"convertPullRequestToDraft":     {pull, pulls, "pullRequest", func(c *call, i *issue, _ obj) error { return c.redraft(i, true) }},
		"pinIssue":                      {"issueId", "issues=write", "issue", (*call).pin},
		"unpinIssue":                    {"issueId", "issues=write", "issue", (*call).unpin},
	}
}

func (c *call) graphQLMutation(f field) (any, error) {
	m, known := mutations()[f.name]
	if !known {
		return nil, &graphQLError{"undefinedField", "Field '" + f.name + "' doesn't exist on type 'Mutation'"}
	}
	in, _ := f.args["input"].(map[string]any)
	id, _ := in[m.target].(string)
	i, err := c.node(id)
	if err != nil {
		return nil, err
	}
	if c.repo = i.repo; c.demand(m.needs, roleWrite) != nil {
		return nil, &graphQLError{"FORBIDDEN", "Resource not accessible by integration"}
	}
	if (m.target != "issueId") != (i.pull != nil) {
		return nil, &graphQLError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + id + "'."}
	}
	if err := m.run(c, i, in); err != nil {
		return nil, err
	}
	shown := c.graphQLIssue(i)
	if m.gives == "mergeQueueEntry" {
		shown, _ = shown["mergeQueueEntry"].(obj)
	}
	return obj{m.gives: shown, "actor": obj{"login": c.who.actor().login}, "clientMutationId": in["clientMutationId"]}, nil
}

func (c *call) redraft(i *issue, draft bool) error {
	if i.state != "open" {
		return unprocessed("Pull request is closed")
	}
	c.setDraft(i, draft, c.who.actor())
	return nil
}

// maxPins is how many issues of a repository may be pinned.
const maxPins = 3

func (r *repository) isPinned(i *issue) bool { return slices.Contains(r.pinned, i.number) }

func (c *call) pin(i *issue, _ obj) error {
	switch {
	case i.repo.isPinned(i):
		return unprocessed("This issue is already pinned")
	case len(i.repo.pinned) >= maxPins:
		return unprocessed("Maximum %d pinned issues per repository", maxPins)
	}
	i.repo.pinned = append(i.repo.pinned, i.number)
	c.emitIssue(i, "pinned", obj{}, c.who.actor())
	return nil
}

func (c *call) unpin(i *issue, _ obj) error {
	if !i.repo.isPinned(i) {
		return unprocessed("This issue is not pinned")
	}
	i.repo.pinned = slices.DeleteFunc(i.repo.pinned, func(n int) bool { return n == i.number })
	c.emitIssue(i, "unpinned", obj{}, c.who.actor())
	return nil
}

// text is a text in the input of a mutation, lower case words for values of enumerations.
func text(in obj, name string) string {
	value, _ := in[name].(string)
	return value
}

func word(in obj, name string) string { return strings.ToLower(text(in, name)) }
