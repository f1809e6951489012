package ghsim

import (
	"fmt"
	"strings"
	"time"
)

// team is a team of an organization. Members maps logins in lower case.
type team struct {
	ID      int64
	Org     string
	Slug    string
	Parent  int64 // ID of the team above, 0 for none
	Members map[string]teamMember
	Created time.Time
}

// AddTeam makes a team of an organization, unless it is there, and puts people into it, who become members of the organization.
func (s *Sim) AddTeam(org, slug string, logins ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.team(org, slug)
	if t == nil {
		t = &team{ID: s.nextID(), Org: s.ownerOf(org).login, Slug: slug, Members: map[string]teamMember{}, Created: s.now()}
		s.teams[t.ID] = t
	}
	for _, login := range logins {
		s.joinOrg(s.ownerOf(org), s.addPerson(login), false)
		t.Members[strings.ToLower(login)] = teamMember{Login: login}
	}
}

// SetTeamParent puts a team below another: its members are members of that too.
func (s *Sim) SetTeamParent(org, slug, parent string) error {
	var failed error
	err := s.changeTeam(org, slug, func(t *team) {
		above := s.team(org, parent)
		if above == nil || above == t {
			failed = fmt.Errorf("set parent of team %s: %s has no other team %s", slug, org, parent)
			return
		}
		t.Parent = above.ID
	})
	if err != nil {
		return err
	}
	return failed
}

// SetTeamPermission gives a team of the owner a role on a repository: admin, maintain, write, triage, read or none.
func (s *Sim) SetTeamPermission(repo Repo, slug, name string) error {
	level, known := parseRole(name)
	if !known {
		return fmt.Errorf("set team permission: %q is none of %s", name, strings.Join(roleNames, ", "))
	}
	return s.changeTeam(repo.Owner, slug, func(t *team) {
		if r := s.repos[repo.ID]; r != nil {
			r.teams[t.ID] = level
		}
	})
}

func (s *Sim) changeTeam(org, slug string, change func(*team)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.team(org, slug)
	if t == nil {
		return fmt.Errorf("the organization %s has no team %s", org, slug)
	}
	change(t)
	return nil
}

func (s *Sim) team(org, slug string) *team {
	for _, t := range s.teams {
		if strings.EqualFold(t.Org, org) && strings.EqualFold(t.Slug, slug) {
			return t
		}
	}
	return nil
}
