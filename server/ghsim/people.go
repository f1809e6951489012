package ghsim

import (
	"fmt"
	"strings"
	"time"
)

// user is an account: a person, an organization, or an App's bot.
type user struct {
	id      int64
	login   string
	kind    string         // User, Organization, Bot
	app     *app           // the bot's
	secret  string         // a person's token
	members map[int64]bool // an organization's, by ID; true for owners
	created time.Time
}

func (u *user) email() string { return fmt.Sprintf("%d+%s@users.noreply.github.com", u.id, u.login) }

// AddUser makes a person and gives the personal access token with which they act, in REST and in git. Adding somebody
// again gives the same token.
func (s *Sim) AddUser(login string) (token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addPerson(login).secret
}

func (s *Sim) addPerson(login string) *user {
	u := s.addAccount(login, "User")
	if u.secret == "" {
		u.secret = personSecret()
		s.tokens[u.secret] = &token{secret: u.secret, user: u}
	}
	return u
}

// AddOrg makes an organization, which may own repositories and Apps.
func (s *Sim) AddOrg(login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addAccount(login, "Organization")
}

func (s *Sim) addAccount(login, kind string) *user {
	if u := s.users[strings.ToLower(login)]; u != nil {
		return u
	}
	u := &user{id: s.nextID(), login: login, kind: kind, created: s.now()}
	s.users[strings.ToLower(login)] = u
	return u
}

// ownerOf is the account of that name, made as an organization when there is none.
func (s *Sim) ownerOf(login string) *user { return s.addAccount(login, "Organization") }

func (s *Sim) userByEmail(email string) *user {
	for _, u := range s.users {
		if u.email() == email {
			return u
		}
	}
	return nil
}

func (s *Sim) userJSON(u *user) obj {
	if u == nil {
		return nil
	}
	api, html := s.api("/users/"+u.login), s.web("/"+u.login)
	if u.app != nil {
		html = s.web("/apps/" + u.app.slug)
	}
	return obj{
		"login": u.login, "id": u.id, "node_id": nodeID("U", u.id), "avatar_url": s.web(fmt.Sprintf("/avatars/u/%d", u.id)),
		"gravatar_id": "", "url": api, "html_url": html, "followers_url": api + "/followers",
		"following_url": api + "/following{/other_user}", "gists_url": api + "/gists{/gist_id}",
		"starred_url": api + "/starred{/owner}{/repo}", "subscriptions_url": api + "/subscriptions",
		"organizations_url": api + "/orgs", "repos_url": api + "/repos", "events_url": api + "/events{/privacy}",
		"received_events_url": api + "/received_events", "type": u.kind, "user_view_type": "public", "site_admin": false,
	}
}

// userOrNull is userJSON as a value that is null for nobody.
func (s *Sim) userOrNull(u *user) any {
	if u == nil {
		return nil
	}
	return s.userJSON(u)
}

func (s *Sim) orgJSON(u *user) obj {
	api := s.api("/orgs/" + u.login)
	return obj{
		"login": u.login, "id": u.id, "node_id": nodeID("O", u.id), "url": api, "repos_url": api + "/repos",
		"events_url": api + "/events", "hooks_url": api + "/hooks", "issues_url": api + "/issues",
		"members_url": api + "/members{/member}", "public_members_url": api + "/public_members{/member}",
		"avatar_url": s.web(fmt.Sprintf("/avatars/u/%d", u.id)), "description": "",
	}
}

func peopleRoutes() []route {
	return append(userRoutes(), route{
		pattern: "GET /users/{username}", docs: "users/users#get-a-user",
		run: func(c *call) reply {
			u := c.users[strings.ToLower(c.path("username"))]
			if u == nil {
				return notFound()
			}
			return ok(c.profileJSON(u))
		},
	})
}

func (s *Sim) profileJSON(u *user) obj {
	repos := 0
	for _, r := range s.repos {
		if r.owner == u && !r.private {
			repos++
		}
	}
	return merged(s.userJSON(u), obj{
		"name": u.login, "company": nil, "blog": "", "location": nil, "email": nil, "hireable": nil, "bio": nil,
		"public_repos": repos, "public_gists": 0, "followers": 0, "following": 0,
		"created_at": stamp(u.created), "updated_at": stamp(u.created),
	})
}
