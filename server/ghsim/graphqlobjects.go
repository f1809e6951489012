package ghsim

import (
	"strings"
)

// graphQLQuery resolves a field of a query.
func (c *call) graphQLQuery(f field) (any, error) {
	switch f.name {
	case "viewer":
		return obj{"login": c.who.actor().login}, nil
	case "rateLimit":
		r := c.rateOf()
		return obj{"limit": r.limit, "cost": 1, "remaining": r.limit - r.used, "used": r.used, "resetAt": stamp(r.reset)}, nil
	case "repository":
		owner, _ := f.args["owner"].(string)
		name, _ := f.args["name"].(string)
		r := c.repos[c.names[strings.ToLower(owner+"/"+name)]]
		if r == nil || !c.who.sees(r) {
			return nil, &graphQLError{"NOT_FOUND", "Could not resolve to a Repository with the name '" + owner + "/" + name + "'."}
		}
		return c.graphQLRepository(r), nil
	case "node":
		id, _ := f.args["id"].(string)
		i, err := c.node(id)
		if err != nil {
			return nil, err
		}
		return c.graphQLIssue(i), nil
	}
	return nil, &graphQLError{"undefinedField", "Field '" + f.name + "' doesn't exist on type 'Query'"}
}

// node finds an issue or pull request by its node ID, where the caller may see it.
func (c *call) node(id string) (*issue, error) {
	for _, r := range c.repos {
		if !c.who.sees(r) {
			continue
		}
		for _, i := range r.issues {
			if i.node() == id {
				return i, nil
			}
		}
	}
	return nil, &graphQLError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + id + "'."}
}

func (i *issue) node() string {
	if i.pull != nil {
		return nodeID("PR", i.id)
	}
	return nodeID("I", i.id)
}

func (c *call) graphQLRepository(r *repository) obj {
	find := func(pull bool) func(map[string]any) (any, error) {
		return func(args map[string]any) (any, error) {
			number, _ := args["number"].(float64)
			i := r.issues[int(number)]
			if i == nil || (i.pull != nil) != pull {
				return nil, &graphQLError{"NOT_FOUND", "Could not resolve to an issue or pull request with that number."}
			}
			return c.graphQLIssue(i), nil
		}
	}
	return obj{
		"id": nodeID("R", r.id), "databaseId": r.id, "name": r.name, "nameWithOwner": r.fullName(), "autoMergeAllowed": r.autoMerge,
		"pullRequest": find(true), "issue": find(false),
	}
}

func (c *call) graphQLIssue(i *issue) obj {
	out := obj{
		"id": i.node(), "databaseId": i.id, "number": i.number, "title": i.title, "url": c.issueWeb(i), "state": strings.ToUpper(i.state),
		"isPinned": i.repo.isPinned(i), "author": obj{"login": i.user.login},
	}
	if i.pull != nil {
		out = merged(out, c.graphQLPull(i))
	}
	return out
}

func (c *call) graphQLPull(i *issue) obj {
	p := i.pull
	state := strings.ToUpper(i.state)
	if p.merged {
		state = "MERGED"
	}
	out := obj{
		"state": state, "isDraft": p.draft, "merged": p.merged, "headRefOid": p.headSHA, "headRefName": p.head, "baseRefName": p.base,
		"mergeStateStatus": strings.ToUpper(c.mergeableState(i)), "autoMergeRequest": nil, "isInMergeQueue": p.queued != nil, "mergeQueueEntry": nil,
	}
	if p.auto != nil {
		out["autoMergeRequest"] = obj{
			"enabledAt": stamp(p.auto.At), "enabledBy": obj{"login": p.auto.By}, "mergeMethod": strings.ToUpper(p.auto.Method),
			"commitHeadline": p.auto.Title, "commitBody": p.auto.Message,
		}
	}
	if p.queued != nil {
		out["mergeQueueEntry"] = c.queueEntryJSON(i)
	}
	return out
}
