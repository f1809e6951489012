package ghsim

import (
	"fmt"
	"net/http"
)

// graphQLRoute is the one address of GraphQL: /graphql on github.com, /api/graphql on a server of one's own. It serves what
// REST has no way to do: auto-merge, the merge queue, pins, drafts.
func graphQLRoute() route {
	return route{pattern: "POST /graphql", docs: "graphql", resource: "graphql", run: serveGraphQL}
}

// SetGraphQL switches GraphQL off, as with other implementations of GitHub's API that have none, or on again.
func (s *Sim) SetGraphQL(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noGraphQL = !on
}

// graphQLError is one of the errors of an answer, which is a 200 all the same.
type graphQLError struct {
	kind, message string
}

func (e *graphQLError) Error() string { return e.message }

func unprocessed(format string, args ...any) error {
	return &graphQLError{"UNPROCESSABLE", fmt.Sprintf(format, args...)}
}

func serveGraphQL(c *call) reply {
	var in struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	switch {
	case c.noGraphQL:
		return notFound()
	case c.who.kind == anonymous:
		return fail(http.StatusUnauthorized, "This endpoint requires you to be authenticated.")
	case !c.decode(&in):
		return badJSON()
	}
	kind, selection, err := parseGraphQL(in.Query, in.Variables)
	if err != nil {
		return ok(obj{"errors": []obj{{"message": "Parse error: " + err.Error()}}})
	}
	resolve := c.graphQLQuery
	if kind == "mutation" {
		resolve = c.graphQLMutation
	}
	data, failed := obj{}, []obj{}
	for _, f := range selection {
		value, err := resolve(f)
		if err == nil {
			value, err = project(f, value)
		}
		data[f.alias] = value
		if err != nil {
			data[f.alias] = nil
			failed = append(failed, graphQLErrorJSON(f, err))
		}
	}
	out := obj{"data": data}
	if len(failed) > 0 {
		out["errors"] = failed
	}
	return ok(out)
}

func graphQLErrorJSON(f field, err error) obj {
	out := obj{"path": []string{f.alias}, "locations": []obj{{"line": 1, "column": 1}}, "message": err.Error()}
	if known, is := err.(*graphQLError); is { //nolint:errorlint // made in this package, never wrapped
		out["type"] = known.kind
	}
	return out
}

// project keeps of a value what a field selects. A member with arguments is a function of them.
func project(f field, value any) (any, error) {
	if f.name == "__typename" || value == nil {
		return value, nil
	}
	object, is := value.(obj)
	if !is || len(f.selection) == 0 {
		return value, nil
	}
	out := obj{}
	for _, part := range f.selection {
		member, has := object[part.name]
		if !has && part.name != "clientMutationId" && part.name != "__typename" {
			return nil, &graphQLError{"undefinedField", fmt.Sprintf("Field '%s' doesn't exist on '%s'", part.name, f.name)}
		}
		if compute, is := member.(func(map[string]any) (any, error)); is {
			var err error
			if member, err = compute(part.args); err != nil {
				return nil, err
			}
		}
		projected, err := project(part, member)
		if err != nil {
			return nil, err
		}
		out[part.alias] = projected
	}
	return out, nil
}
