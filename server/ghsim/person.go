package ghsim

import (
	"slices"
	"strings"
)

// Person acts as somebody does: by REST with their own token, so that what they may not do is refused, and by pushing.
type Person struct{ hands }

// As gives the hands of a person; one who does not exist is made.
func (s *Sim) As(login string) Person {
	s.AddUser(login)
	return Person{hands{sim: s, login: login}}
}

// Role is the person's role on a repository: admin, maintain, write, triage, read or none.
func (p Person) Role(repo Repo) string {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	r := p.sim.repos[repo.ID]
	if r == nil {
		return roleNone.String()
	}
	return r.roleOf(p.sim.users[strings.ToLower(p.login)]).String()
}

// People lists the logins of all persons.
func (s *Sim) People() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, u := range s.users {
		if u.kind == "User" {
			out = append(out, u.login)
		}
	}
	slices.Sort(out)
	return out
}
