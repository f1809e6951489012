package ghsim

import "strconv"

func (s *Sim) teamAPI(t *team) string { return s.api("/orgs/" + t.Org + "/teams/" + t.Slug) }

// teamJSON is a team as pull requests and payloads name it.
func (s *Sim) teamJSON(t *team) obj {
	id := s.api("/organizations/" + strconv.FormatInt(s.account(t.Org).id, 10) + "/team/" + strconv.FormatInt(t.ID, 10))
	out := obj{
		"id": t.ID, "node_id": nodeID("T", t.ID), "url": id, "html_url": s.web("/orgs/" + t.Org + "/teams/" + t.Slug), "name": t.Slug, "slug": t.Slug,
		"description": "", "privacy": "closed", "notification_setting": "notifications_enabled", "permission": "pull", "type": "organization",
		"organization_id": s.account(t.Org).id, "members_url": id + "/members{/member}", "repositories_url": id + "/repos", "parent": nil,
	}
	if above := s.teams[t.Parent]; above != nil {
		parent := s.teamJSON(above)
		delete(parent, "parent")
		out["parent"] = parent
	}
	return out
}

// fullTeamJSON is a team by itself.
func (s *Sim) fullTeamJSON(t *team) obj {
	members, repos := 0, 0
	for _, u := range s.users {
		if m, is := s.memberOf(t, u); is && !m.Pending {
			members++
		}
	}
	for _, r := range s.repos {
		if r.teams[t.ID] > roleNone {
			repos++
		}
	}
	return merged(s.teamJSON(t), obj{
		"members_count": members, "repos_count": repos, "created_at": stamp(t.Created), "updated_at": stamp(t.Created), "organization": s.teamOrgJSON(t),
	})
}

func (s *Sim) teamOrgJSON(t *team) obj {
	org := s.account(t.Org)
	return merged(s.orgJSON(org), obj{
		"html_url": s.web("/" + org.login), "has_organization_projects": true, "has_repository_projects": true, "public_repos": 0, "public_gists": 0,
		"followers": 0, "following": 0, "type": "Organization", "created_at": stamp(org.created), "updated_at": stamp(org.created), "archived_at": nil,
	})
}
