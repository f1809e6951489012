package ghsim

import (
	"net/http"
	"slices"
	"strings"
)

func reviewerRoutes() []route {
	const asked = "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers"
	return []route{
		{pattern: "GET " + asked, docs: "pulls/review-requests#get-all-requested-reviewers-for-a-pull-request", needs: "pull_requests=read", role: roleRead,
			run: withPull(func(c *call, i *issue) reply { return ok(obj{"users": c.askedUsers(i), "teams": c.askedTeams(i)}) })},
		{pattern: "POST " + asked, docs: "pulls/review-requests#request-reviewers-for-a-pull-request", needs: "pull_requests=write", role: roleWrite,
			run: withPull(requestReviewers)},
	}
}

// requestReviewers asks for all or, when one of them cannot be asked, for nobody.
func requestReviewers(c *call, i *issue) reply {
	var in struct {
		Users []string `json:"reviewers"`
		Teams []string `json:"team_reviewers"`
	}
	if !c.decode(&in) {
		return badJSON()
	}
	users, refused := c.reviewersNamed(i, in.Users)
	if refused != nil {
		return *refused
	}
	teams, refused := c.teamsNamed(in.Teams)
	if refused != nil {
		return *refused
	}
	for _, u := range users {
		if !slices.Contains(i.pull.asked, u.login) {
			i.pull.asked = append(i.pull.asked, u.login)
			c.emitPull(i, "review_requested", obj{"requested_reviewer": c.userJSON(u)}, c.who.actor())
		}
	}
	for _, t := range teams {
		if !slices.Contains(i.pull.askedTeams, t.ID) {
			i.pull.askedTeams = append(i.pull.askedTeams, t.ID)
			c.emitPull(i, "review_requested", obj{"requested_team": c.teamJSON(t)}, c.who.actor())
		}
	}
	return created(c.pullSimpleJSON(i))
}

// notCollaborator is the refusal of somebody who cannot read, or does not exist, and of a team without access.
func (c *call) notCollaborator() *reply {
	r := failf(http.StatusUnprocessableEntity, "Reviews may only be requested from collaborators. One or more of the users or teams you specified "+
		"is not a collaborator of the %s repository.", c.repo.fullName())
	return &r
}

func (c *call) reviewersNamed(i *issue, logins []string) ([]*user, *reply) {
	var out []*user
	for _, login := range logins {
		u := c.users[strings.ToLower(login)]
		if u == i.user {
			r := fail(http.StatusUnprocessableEntity, "Review cannot be requested from pull request author.")
			return nil, &r
		}
		if u == nil || u.kind != "User" || !c.repo.collaborator(u) {
			return nil, c.notCollaborator()
		}
		out = append(out, u)
	}
	return out, nil
}

// collaborator says whether somebody was let in, other than as anybody may read what is public.
func (r *repository) collaborator(u *user) bool {
	return u == r.owner || r.given(u) > roleNone
}

// teamsNamed finds teams of the owner that may read the repository. An App without members: read cannot resolve what it may not see.
func (c *call) teamsNamed(slugs []string) ([]*team, *reply) {
	var out []*team
	for _, slug := range slugs {
		t := c.team(c.repo.owner.login, slug)
		if t == nil || c.repo.teams[t.ID] == roleNone {
			return nil, c.notCollaborator()
		}
		if c.who.kind == asInstalled && !permits(c.who.token.granted(), "members=read") {
			r := reply{status: http.StatusUnprocessableEntity, body: obj{
				"message": "Validation Failed", "errors": []string{"Could not resolve to a node with the global id of '" + nodeID("T", t.ID) + "'."}, "status": "422",
			}}
			return nil, &r
		}
		out = append(out, t)
	}
	return out, nil
}

// answered takes a reviewer off the list of those who were asked, and the teams that they are in.
func (s *Sim) answered(p *pull, u *user) {
	p.asked = slices.DeleteFunc(p.asked, func(login string) bool { return login == u.login })
	p.askedTeams = slices.DeleteFunc(p.askedTeams, func(id int64) bool {
		return s.teams[id] == nil || s.inTeam(id, u)
	})
}

func (s *Sim) askedUsers(i *issue) []obj {
	out := []obj{}
	for _, login := range i.pull.asked {
		out = append(out, s.userJSON(s.account(login)))
	}
	return out
}

func (s *Sim) askedTeams(i *issue) []obj {
	out := []obj{}
	for _, id := range i.pull.askedTeams {
		if t := s.teams[id]; t != nil {
			out = append(out, s.teamJSON(t))
		}
	}
	return out
}
