package ghsim

import (
	"encoding/json"
	"net/http"
	"unicode/utf8"
)

// The limits of repository_dispatch (docs.github.com, "REST API endpoints for repositories").
const (
	maxDispatchType   = 100
	maxDispatchFields = 10
)

func dispatchRoutes() []route {
	return []route{{pattern: "POST /repos/{owner}/{repo}/dispatches", docs: "repos/repos#create-a-repository-dispatch-event", needs: "contents=write", role: roleWrite,
		run: dispatch}}
}

func dispatch(c *call) reply {
	var in struct {
		Type    string                     `json:"event_type"`
		Payload map[string]json.RawMessage `json:"client_payload"`
	}
	switch {
	case !c.decode(&in):
		return badJSON()
	case in.Type == "" || utf8.RuneCountInString(in.Type) > maxDispatchType:
		return invalid(custom("RepositoryDispatch", "event_type", "event_type must have 1 to 100 characters"))
	case len(in.Payload) > maxDispatchFields:
		return invalid(custom("RepositoryDispatch", "client_payload", "No more than 10 properties are allowed"))
	}
	c.emit(event{name: "repository_dispatch", action: in.Type, repo: c.repo, actor: c.who.actor(), body: obj{
		"branch": c.repo.defaultBranch, "client_payload": in.Payload,
	}})
	return noContent()
}

// Dispatch sends a repository_dispatch event with a payload.
func (p hands) Dispatch(repo Repo, eventType string, payload map[string]any) error {
	return p.Do(http.MethodPost, p.at(repo, "/dispatches"), obj{"event_type": eventType, "client_payload": payload}, nil)
}
