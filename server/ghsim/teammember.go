package ghsim

import "strings"

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
