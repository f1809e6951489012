package ghsim

import (
	"net/http"
	"slices"
)

// userRoutes are about the person whose token it is.
func userRoutes() []route {
	return []route{
		{pattern: "GET /user", docs: "users/users#get-the-authenticated-user", run: whoAmI},
		{pattern: "GET /user/installations", docs: "apps/installations#list-app-installations-accessible-to-the-user-access-token",
			run: func(c *call) reply {
				if refused := c.userToken("list installations"); refused != nil {
					return *refused
				}
				return counted(c, "installations", c.installationsFor(), c.installationJSON)
			}},
		{pattern: "GET /user/installations/{installation_id}/repositories", docs: "apps/installations#list-repositories-accessible-to-the-user-access-token",
			run: installationReposFor},
	}
}

func whoAmI(c *call) reply {
	switch c.who.kind {
	case asPerson:
		return ok(c.profileJSON(c.who.user))
	case anonymous:
		return fail(http.StatusUnauthorized, "Requires authentication")
	}
	return fail(http.StatusForbidden, "Resource not accessible by integration")
}

// userToken refuses all but a person's token for an App.
func (c *call) userToken(what string) *reply {
	if c.who.kind == asPerson && c.who.token.app != nil {
		return nil
	}
	r := fail(http.StatusForbidden, "You must authenticate with an access token authorized to a GitHub App in order to "+what)
	return &r
}

// installationsFor are the App's installations with a repository that the person has a role in by themselves: what
// everybody may read does not count.
func (c *call) installationsFor() []*installation {
	return slices.DeleteFunc(c.installationsOf(c.who.token.app), func(inst *installation) bool {
		return !inst.suspendedAt.IsZero() || len(c.reposFor(inst)) == 0
	})
}

func (c *call) reposFor(inst *installation) []*repository {
	return slices.DeleteFunc(c.reposIn(inst.repos), func(r *repository) bool { return r.given(c.who.user) < roleRead })
}

func installationReposFor(c *call) reply {
	if refused := c.userToken("list repositories"); refused != nil {
		return *refused
	}
	inst := c.insts[c.id("installation_id")]
	if inst == nil || !slices.Contains(c.installationsFor(), inst) {
		return notFound()
	}
	answer := counted(c, "repositories", c.reposFor(inst), func(r *repository) obj {
		return merged(c.repoJSON(r), obj{"permissions": c.permissionsOn(r)})
	})
	answer.body.(obj)["repository_selection"] = "selected"
	return answer
}
