package ghsim

import (
	"net/http"
	"strings"
)

func teamRoutes() []route {
	const one = "/orgs/{org}/teams/{team_slug}"
	return []route{
		{pattern: "GET " + one, docs: "teams/teams#get-a-team-by-name", run: withTeam(func(c *call, t *team) reply { return ok(c.fullTeamJSON(t)) })},
		{pattern: "GET " + one + "/members", docs: "teams/members#list-team-members", run: withTeam(listTeamMembers)},
		{pattern: "GET " + one + "/memberships/{username}", docs: "teams/members#get-team-membership-for-a-user", run: withTeam(teamMembership)},
		{pattern: "GET /orgs/{org}/members/{username}", docs: "orgs/members#check-organization-membership-for-a-user", run: withOrg(isOrgMember)},
		{pattern: "GET /orgs/{org}/memberships/{username}", docs: "orgs/members#get-organization-membership-for-a-user", run: withOrg(orgMembership)},
	}
}

// withOrg finds the organization in the path. An App needs members: read in its installation there; a person must be a member.
func withOrg(run func(*call, *user) reply) func(*call) reply {
	return func(c *call) reply {
		org := c.users[strings.ToLower(c.path("org"))]
		switch {
		case c.who.kind == anonymous:
			return fail(http.StatusUnauthorized, "Requires authentication")
		case org == nil || org.kind != "Organization":
			return notFound()
		case c.who.kind == asInstalled && c.who.inst.account == org && permits(c.who.token.granted(), "members=read"):
			return run(c, org)
		case c.who.kind == asInstalled || c.who.kind == asApp:
			return fail(http.StatusForbidden, "Resource not accessible by integration").with("X-Accepted-GitHub-Permissions", "members=read")
		case !org.has(c.who.user):
			return notFound()
		}
		return run(c, org)
	}
}

func withTeam(run func(*call, *team) reply) func(*call) reply {
	return withOrg(func(c *call, org *user) reply {
		t := c.team(org.login, c.path("team_slug"))
		if t == nil {
			return notFound()
		}
		return run(c, t)
	})
}

// has says whether somebody is a member of the organization.
func (u *user) has(member *user) bool {
	if member == nil {
		return false
	}
	_, is := u.members[member.id]
	return is
}

// listTeamMembers lists also those of teams below, without the invited.
func listTeamMembers(c *call, t *team) reply {
	var found []*user
	for _, login := range sortedKeys(c.users) {
		u := c.users[login]
		m, is := c.memberOf(t, u)
		maintains := m.Maintainer || c.account(t.Org).members[u.id]
		wanted := map[string]bool{"maintainer": maintains, "member": !maintains}
		if role := c.query("role"); is && !m.Pending && (wanted[role] || role != "maintainer" && role != "member") {
			found = append(found, u)
		}
	}
	return list(c, found, c.userJSON)
}

// teamMembership gives owners of the organization as maintainers.
func teamMembership(c *call, t *team) reply {
	u := c.users[strings.ToLower(c.path("username"))]
	m, found := c.memberOf(t, u)
	if !found {
		return notFound()
	}
	role, state := "member", "active"
	if m.Maintainer || c.account(t.Org).members[u.id] {
		role = "maintainer"
	}
	if m.Pending {
		state = "pending"
	}
	return ok(obj{"role": role, "state": state, "url": c.teamAPI(t) + "/memberships/" + u.login})
}

func isOrgMember(c *call, org *user) reply {
	if !org.has(c.users[strings.ToLower(c.path("username"))]) {
		return fail(http.StatusNotFound, "User does not exist or is not a member of the organization")
	}
	return noContent()
}

func orgMembership(c *call, org *user) reply {
	u := c.users[strings.ToLower(c.path("username"))]
	if !org.has(u) {
		return notFound()
	}
	role := "member"
	if org.members[u.id] {
		role = "admin"
	}
	return ok(obj{
		"url": c.api("/orgs/" + org.login + "/memberships/" + u.login), "state": "active", "role": role, "direct_membership": true,
		"organization_url": c.api("/orgs/" + org.login), "organization": c.orgJSON(org), "user": c.userJSON(u),
	})
}
