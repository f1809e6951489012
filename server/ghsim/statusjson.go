package ghsim

import (
	"fmt"
	"slices"
	"strings"
)

// combinedStatus sums up the newest status of each context: failure when one failed, success when all succeeded, pending
// otherwise, also without any. Check runs are no part of it.
func combinedStatus(c *call, sha string) reply {
	newest := c.repo.newestStatuses(sha)
	drawn, link := drawPage(c, newest, func(status *Status) obj { return c.statusJSON(c.repo, status) })
	api := c.repoAPI(c.repo) + "/commits/" + sha
	return linked(ok(obj{
		"state": combined(newest), "sha": sha, "total_count": len(newest), "statuses": drawn, "repository": c.repoJSON(c.repo),
		"commit_url": api, "url": api + "/status",
	}), link)
}

func combined(newest []*Status) string {
	is := func(states ...string) func(*Status) bool {
		return func(status *Status) bool { return slices.Contains(states, status.State) }
	}
	switch {
	case slices.ContainsFunc(newest, is("error", "failure")):
		return "failure"
	case len(newest) == 0 || slices.ContainsFunc(newest, is("pending")):
		return "pending"
	}
	return "success"
}

func (s *Sim) statusAPI(r *repository, status *Status) string {
	return s.repoAPI(r) + "/statuses/" + status.SHA
}

// statusJSON is a status without its creator, as the combined status lists it.
func (s *Sim) statusJSON(r *repository, status *Status) obj {
	return obj{
		"url": s.statusAPI(r, status), "avatar_url": s.avatarOf(status.Creator), "id": status.ID, "node_id": nodeID("SC", status.ID),
		"state": status.State, "description": textOrNull(status.Description), "target_url": textOrNull(status.TargetURL), "context": status.Context,
		"created_at": stamp(status.Created), "updated_at": stamp(status.Created),
	}
}

func (s *Sim) avatarOf(login string) string {
	u := s.account(login)
	if u == nil {
		return ""
	}
	return s.web(fmt.Sprintf("/avatars/u/%d", u.id))
}

// emitStatus tells of a status. The payload names the branches whose tip is the commit, at most ten, and no pull request.
func (s *Sim) emitStatus(r *repository, status *Status) {
	branches := []obj{}
	for _, ref := range sortedKeys(r.refs) {
		if name, is := strings.CutPrefix(ref, "refs/heads/"); is && r.refs[ref] == status.SHA && len(branches) < 10 {
			branches = append(branches, s.branchJSON(r, name))
		}
	}
	body := merged(s.statusJSON(r, status), obj{
		"sha": status.SHA, "name": r.fullName(), "branches": branches,
		"created_at": status.Created.Format("2006-01-02T15:04:05-07:00"), "updated_at": status.Created.Format("2006-01-02T15:04:05-07:00"),
	})
	delete(body, "url")
	delete(body, "node_id")
	if commits, err := s.logOf(r, "--max-count=1", status.SHA); err == nil && len(commits) == 1 {
		body["commit"] = s.commitJSON(r, commits[0])
	}
	s.emit(event{name: "status", repo: r, actor: s.account(status.Creator), body: body})
}

// Statuses lists all commit statuses, oldest first.
func (s *Sim) Statuses(repo Repo) []Status {
	var out []Status
	s.look(repo, func(r *repository) {
		for _, status := range r.statuses {
			out = append(out, *status)
		}
	})
	return out
}
