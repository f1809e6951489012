package ghsim

import (
	"net/http"
	"strings"
)

// role is a person's role on a repository. The zero value is none.
type role int

const (
	roleNone role = iota
	roleRead
	roleTriage
	roleWrite
	roleMaintain
	roleAdmin
)

var roleNames = []string{"none", "read", "triage", "write", "maintain", "admin"}

func (r role) String() string { return roleNames[r] }

func parseRole(name string) (role, bool) {
	for i, n := range roleNames {
		if n == name {
			return role(i), true
		}
	}
	return roleNone, false
}

// coarse is the permission field of the collaborators endpoint, which knows four words.
func (r role) coarse() string {
	switch r {
	case roleMaintain:
		return "write"
	case roleTriage:
		return "read"
	}
	return r.String()
}

// roleOf is what a person may do: what was given, everything for the owner, and at least read where all may read.
func (r *repository) roleOf(u *user) role {
	level := r.given(u)
	if !r.private {
		level = max(level, roleRead)
	}
	return level
}

// given is the highest of what a person has by themselves, by their teams and by the organization, whose owners may
// everything and whose members may read.
func (r *repository) given(u *user) role {
	if u == nil {
		return roleNone
	}
	if u == r.owner || r.owner.members[u.id] {
		return roleAdmin
	}
	level := r.roles[u.id]
	if r.owner.has(u) {
		level = max(level, roleRead)
	}
	for id, role := range r.teams {
		if role > level && r.inTeam(id, u) {
			level = role
		}
	}
	return level
}

// inTeam says whether somebody is an active member of a team.
func (s *Sim) inTeam(id int64, u *user) bool {
	if s.teams[id] == nil {
		return false
	}
	m, is := s.memberOf(s.teams[id], u)
	return is && !m.Pending
}

// atLeast compares an App's permission levels; "" grants nothing and asks for nothing.
func atLeast(has, wants string) bool {
	rank := map[string]int{"": 0, "read": 1, "write": 2, "admin": 3}
	return rank[has] >= rank[wants]
}

// permits reads a requirement such as "issues=write; pull_requests=write,contents=read": any of the alternatives, all of its parts.
func permits(granted map[string]string, requirement string) bool {
	if requirement == "" {
		return true
	}
	for _, alternative := range strings.Split(requirement, ";") {
		if permitsAll(granted, alternative) {
			return true
		}
	}
	return false
}

func permitsAll(granted map[string]string, alternative string) bool {
	for _, part := range strings.Split(alternative, ",") {
		name, level, _ := strings.Cut(strings.TrimSpace(part), "=")
		if !atLeast(granted[name], level) {
			return false
		}
	}
	return true
}

// sees says whether the repository exists for the caller.
func (p principal) sees(r *repository) bool {
	switch p.kind {
	case asInstalled:
		return p.token.reaches(r.id) || !r.private
	case asPerson:
		return r.roleOf(p.user) >= roleRead && (!r.private || !p.forApp() || p.token.reach(r) != nil)
	default:
		return !r.private
	}
}

// checkPermission applies the route's requirement to the caller.
func (c *call) checkPermission() *reply {
	if c.repo == nil || c.route.auth == authJWT {
		return nil
	}
	if refused := c.demand(c.route.needs, c.route.role); refused != nil {
		return refused
	}
	if c.repo.archived && !isRead(c.r.Method) {
		r := fail(http.StatusForbidden, "Repository was archived so is read-only.")
		return &r
	}
	return nil
}

// demand refuses the caller who lacks the permissions (an App) or the role (a person). On a public repository outside
// its installation an App may read, as everybody may.
func (c *call) demand(needs string, least role) *reply {
	var r reply
	switch c.who.kind {
	case asInstalled:
		outside := !c.who.token.reaches(c.repo.id)
		if outside && isRead(c.r.Method) || !outside && permits(c.who.token.granted(), needs) {
			return nil
		}
		r = fail(http.StatusForbidden, "Resource not accessible by integration").with("X-Accepted-GitHub-Permissions", needs)
	case asPerson:
		if c.repo.roleOf(c.who.user) >= least {
			return c.demandOfApp(needs)
		}
		r = fail(http.StatusForbidden, "Must have admin rights to Repository.")
	case asApp:
		r = fail(http.StatusForbidden, "Resource not accessible by integration").with("X-Accepted-GitHub-Permissions", needs)
	default:
		if isRead(c.r.Method) && least <= roleRead {
			return nil
		}
		r = fail(http.StatusUnauthorized, "Requires authentication")
	}
	return &r
}

// forApp says whether a person acts through an App: then both must be allowed to.
func (p principal) forApp() bool { return p.kind == asPerson && p.token != nil && p.token.app != nil }

// demandOfApp refuses a person's token for an App what the App itself may not. Where the App is not installed it reads
// what everybody may.
func (c *call) demandOfApp(needs string) *reply {
	if !c.who.forApp() {
		return nil
	}
	inst := c.who.token.reach(c.repo)
	if inst == nil && isRead(c.r.Method) || inst != nil && permits(inst.permissions, needs) {
		return nil
	}
	r := fail(http.StatusForbidden, "Resource not accessible by integration").with("X-Accepted-GitHub-Permissions", needs)
	return &r
}
