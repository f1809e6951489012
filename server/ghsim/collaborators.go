package ghsim

import (
	"fmt"
	"net/http"
	"strings"
)

func collaboratorRoutes() []route {
	const all = "/repos/{owner}/{repo}/collaborators"
	return []route{
		{pattern: "GET " + all, docs: "collaborators/collaborators#list-repository-collaborators", needs: "metadata=read", role: roleWrite, run: listCollaborators},
		{pattern: "GET " + all + "/{username}", docs: "collaborators/collaborators#check-if-a-user-is-a-repository-collaborator", needs: "metadata=read",
			role: roleWrite, run: isCollaborator},
		{pattern: "GET " + all + "/{username}/permission", needs: "metadata=read", role: roleRead,
			docs: "collaborators/collaborators#get-repository-permissions-for-a-user", run: collaboratorPermission},
	}
}

func listCollaborators(c *call) reply {
	var found []*user
	for _, login := range sortedKeys(c.users) {
		if u := c.users[login]; u.kind == "User" && c.repo.collaborator(u) {
			found = append(found, u)
		}
	}
	return list(c, found, c.collaboratorJSON)
}

func isCollaborator(c *call) reply {
	if u := c.users[strings.ToLower(c.path("username"))]; u == nil || !c.repo.collaborator(u) {
		return notFound()
	}
	return noContent()
}

func collaboratorPermission(c *call) reply {
	u := c.users[strings.ToLower(c.path("username"))]
	if u == nil || u.kind == "Organization" {
		return fail(http.StatusNotFound, fmt.Sprintf("%s is not a user", c.path("username")))
	}
	person := c.collaboratorJSON(u)
	return ok(obj{"permission": c.repo.roleOf(u).coarse(), "role_name": person["role_name"], "user": person})
}

// collaboratorJSON is a person with their role here, by its own name where the organization gave it one.
func (c *call) collaboratorJSON(u *user) obj {
	level := c.repo.roleOf(u)
	name := c.repo.custom[u.id]
	if name == "" {
		name = level.String()
	}
	return merged(c.userJSON(u), obj{"role_name": name, "permissions": level.permissions()})
}

func (r role) permissions() obj {
	return obj{"admin": r >= roleAdmin, "maintain": r >= roleMaintain, "push": r >= roleWrite, "triage": r >= roleTriage, "pull": r >= roleRead}
}

// SetCustomRole gives a person a role that the organization made on top of read, triage, write or maintain.
func (s *Sim) SetCustomRole(repo Repo, login, name, base string) error {
	if err := s.SetPermission(repo, login, base); err != nil {
		return err
	}
	s.look(repo, func(r *repository) { r.custom[s.addPerson(login).id] = name })
	return nil
}
