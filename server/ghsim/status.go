package ghsim

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

// maxStatusDescription is in characters (docs.github.com, "REST API endpoints for commit statuses").
const maxStatusDescription = 140

var statusStates = []string{"error", "failure", "pending", "success"}

// Status is one commit status. The newest of a context counts.
type Status struct {
	ID  int64
	SHA string
	// Context is its name. State is error, failure, pending or success.
	Context, State         string
	Description, TargetURL string
	// Creator is the login of who set it.
	Creator string
	// App is the ID of the App that set it, 0 for a person.
	App     int64
	Created time.Time
}

func statusRoutes() []route {
	const below = "/repos/{owner}/{repo}/commits/{ref}"
	return []route{
		{pattern: "POST /repos/{owner}/{repo}/statuses/{sha}", docs: "commits/statuses#create-a-commit-status", needs: "statuses=write", role: roleWrite,
			run: createStatus},
		{pattern: "GET " + below + "/statuses", docs: "commits/statuses#list-commit-statuses-for-a-reference", needs: "statuses=read", role: roleRead,
			run: ofCommit(listStatuses)},
		{pattern: "GET " + below + "/status", docs: "commits/statuses#get-the-combined-status-for-a-specific-reference", needs: "statuses=read", role: roleRead,
			run: ofCommit(combinedStatus)},
	}
}

// ofCommit finds the commit of the ref in the path.
func ofCommit(run func(*call, string) reply) func(*call) reply {
	return func(c *call) reply {
		sha := c.commitOf(c.repo, c.path("ref"))
		if sha == "" {
			return failf(http.StatusUnprocessableEntity, "No commit found for SHA: %s", c.path("ref"))
		}
		return run(c, sha)
	}
}

type statusInput struct {
	State       string  `json:"state"`
	Context     *string `json:"context"`
	Description *string `json:"description"`
	TargetURL   *string `json:"target_url"`
}

func createStatus(c *call) reply {
	var in statusInput
	sha := c.path("sha")
	switch {
	case !c.decode(&in):
		return badJSON()
	case !shaPattern.MatchString(sha) || c.commitOf(c.repo, sha) != sha:
		return failf(http.StatusUnprocessableEntity, "No commit found for SHA: %s", sha)
	}
	status := &Status{
		ID: c.nextID(), SHA: sha, Context: cmp.Or(deref(in.Context), "default"), State: in.State, Description: deref(in.Description),
		TargetURL: deref(in.TargetURL), Creator: c.who.actor().login, Created: c.now,
	}
	if c.who.app != nil {
		status.App = c.who.app.id
	}
	if bad := c.refuseStatus(status); len(bad) > 0 {
		return invalid(bad...)
	}
	c.repo.statuses = append(c.repo.statuses, status)
	c.emitStatus(c.repo, status)
	return created(merged(c.statusJSON(c.repo, status), obj{"creator": c.userJSON(c.who.actor())})).with("Location", c.statusAPI(c.repo, status))
}

func (c *call) refuseStatus(status *Status) []fieldError {
	var bad []fieldError
	if !slices.Contains(statusStates, status.State) {
		bad = append(bad, fieldError{Resource: "Status", Field: "state", Code: "custom", Message: "state is not included in the list"})
	}
	if n := utf8.RuneCountInString(status.Description); n > maxStatusDescription {
		bad = append(bad, custom("Status", "description", fmt.Sprintf("description is too long (maximum is %d characters)", maxStatusDescription)))
	}
	n := 0
	for _, other := range c.repo.statuses {
		if other.SHA == status.SHA && other.Context == status.Context {
			n++
		}
	}
	if n >= c.keeps.statuses {
		bad = append(bad, custom("Status", "base", "This SHA and context has reached the maximum number of statuses."))
	}
	return bad
}

func listStatuses(c *call, sha string) reply {
	return list(c, c.repo.statusesAt(sha), func(status *Status) obj {
		return merged(c.statusJSON(c.repo, status), obj{"creator": c.userOrNull(c.account(status.Creator))})
	})
}

// statusesAt are those of a commit, newest first.
func (r *repository) statusesAt(sha string) []*Status {
	var out []*Status
	for _, status := range slices.Backward(r.statuses) {
		if status.SHA == sha {
			out = append(out, status)
		}
	}
	return out
}

// newestStatuses are the newest of each context on a commit.
func (r *repository) newestStatuses(sha string) []*Status {
	seen := map[string]bool{}
	return slices.DeleteFunc(r.statusesAt(sha), func(status *Status) bool {
		known := seen[status.Context]
		seen[status.Context] = true
		return known
	})
}
