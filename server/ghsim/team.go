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

type teamMember struct {
	Login      string
	Maintainer bool
	Pending    bool // was invited and has not accepted
}

// AddOrgMember makes a person a member of an organization, or with owner one who administers it and all its repositories.
// Members may read its private repositories.
func (s *Sim) AddOrgMember(org, login string, owner bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joinOrg(s.ownerOf(org), s.addPerson(login), owner)
}

func (s *Sim) joinOrg(org, u *user, owner bool) {
	if org.members == nil {
		org.members = map[int64]bool{}
	}
	org.members[u.id] = owner || org.members[u.id]
}

// RemoveOrgMember takes a person out of an organization and its teams.
func (s *Sim) RemoveOrgMember(org, login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ownerOf(org).members, s.addPerson(login).id)
	for _, t := range s.teams {
		if strings.EqualFold(t.Org, org) {
			delete(t.Members, strings.ToLower(login))
		}
	}
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

// InviteToTeam invites a person, whose membership is pending until AddTeam puts them in.
func (s *Sim) InviteToTeam(org, slug, login string) error {
	return s.changeTeam(org, slug, func(t *team) {
		t.Members[strings.ToLower(login)] = teamMember{Login: s.addPerson(login).login, Pending: true}
	})
}

// SetTeamMaintainer makes a member of a team its maintainer.
func (s *Sim) SetTeamMaintainer(org, slug, login string) error {
	return s.changeTeam(org, slug, func(t *team) {
		t.Members[strings.ToLower(login)] = teamMember{Login: s.addPerson(login).login, Maintainer: true}
	})
}

// RemoveFromTeam takes a person out of a team; they stay in the organization.
func (s *Sim) RemoveFromTeam(org, slug, login string) error {
	return s.changeTeam(org, slug, func(t *team) { delete(t.Members, strings.ToLower(login)) })
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

// memberOf is a person's membership in a team, their own or that in a team below; found is false for none.
func (s *Sim) memberOf(t *team, u *user) (m teamMember, found bool) {
	if u == nil {
		return m, false
	}
	if m, found = t.Members[strings.ToLower(u.login)]; found {
		return m, true
	}
	for _, below := range s.teams {
		if below.Parent != t.ID {
			continue
		}
		if m, found = s.memberOf(below, u); found && !m.Pending {
			return teamMember{Login: m.Login}, true
		}
	}
	return teamMember{}, false
}
