package ghsim

import (
	"slices"
	"strings"
)

// Repos lists all repositories by ID.
func (s *Sim) Repos() []Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Repo
	for _, r := range s.repos {
		out = append(out, s.handle(r))
	}
	slices.SortFunc(out, func(a, b Repo) int { return int(a.ID - b.ID) })
	return out
}

// RepoByID gives a repository under its present name.
func (s *Sim) RepoByID(id int64) (Repo, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.repos[id]; r != nil {
		return s.handle(r), true
	}
	return Repo{}, false
}

// RepoByName finds owner/name; a former name finds the repository too.
func (s *Sim) RepoByName(fullName string) (Repo, bool) {
	s.mu.Lock()
	id := s.names[strings.ToLower(fullName)]
	s.mu.Unlock()
	return s.RepoByID(id)
}

// look runs f on the repository under the lock; for one that does not exist it does nothing.
func (s *Sim) look(repo Repo, f func(*repository)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.repos[repo.ID]; r != nil {
		f(r)
	}
}
