package ghsim

import (
	"strconv"
)

// issueJSON is an issue as REST and payloads show it; a pull request has the link to itself in it.
func (s *Sim) issueJSON(i *issue) obj {
	api, html := s.issueAPI(i), s.issueWeb(i)
	out := obj{
		"url": api, "repository_url": s.repoAPI(i.repo), "labels_url": api + "/labels{/name}", "comments_url": api + "/comments",
		"events_url": api + "/events", "timeline_url": api + "/timeline", "html_url": html, "id": i.id, "node_id": nodeID("I", i.id),
		"number": i.number, "title": i.title, "user": s.userJSON(i.user), "labels": s.labelsJSON(i), "state": i.state, "state_reason": textOrNull(i.reason),
		"draft": false, "locked": false, "assignee": nil, "assignees": []obj{}, "milestone": nil, "comments": len(i.comments),
		"created_at": stamp(i.created), "updated_at": stamp(i.updated), "closed_at": stampOrNull(i.closed), "closed_by": s.userOrNull(i.closedBy),
		"author_association": i.repo.association(i.user), "active_lock_reason": nil, "body": textOrNull(i.body),
		"reactions": reactionsJSON(api, i.reactions), "performed_via_github_app": s.viaApp(i.user),
	}
	if i.pull != nil {
		out["draft"], out["node_id"] = i.pull.draft, nodeID("PR", i.id)
		out["pull_request"] = obj{
			"url": s.pullAPI(i), "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "merged_at": stampOrNull(i.pull.mergedAt),
		}
	}
	return out
}

func (s *Sim) issueWeb(i *issue) string {
	kind := "/issues/"
	if i.pull != nil {
		kind = "/pull/"
	}
	return s.repoWeb(i.repo) + kind + strconv.Itoa(i.number)
}

// viaApp is the App behind what a bot wrote; null for people.
func (s *Sim) viaApp(u *user) any {
	if u.app == nil {
		return nil
	}
	return s.appJSON(u.app)
}

// association is no permission: GitHub computes it without a viewer, so a writer who joined quietly shows as NONE.
func (r *repository) association(u *user) string {
	switch {
	case u == r.owner:
		return "OWNER"
	case r.roles[u.id] >= roleWrite && !r.owner.has(u):
		return "COLLABORATOR"
	}
	return "NONE"
}
