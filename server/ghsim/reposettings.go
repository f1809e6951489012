package ghsim

import (
	"fmt"
	"strings"
)

// RenameRepo gives a repository another name; the former one redirects. repository.renamed is sent.
func (s *Sim) RenameRepo(repo Repo, name string) (Repo, error) {
	var out Repo
	err := s.changeRepo(repo, func(r *repository) error {
		key := strings.ToLower(r.owner.login + "/" + name)
		if taken := s.repos[s.names[key]]; taken != nil && taken != r && strings.EqualFold(taken.fullName(), key) {
			return fmt.Errorf("rename %s: the name %s is taken", r.fullName(), name)
		}
		from := r.name
		r.name, s.names[key] = name, r.id
		s.emitRepository(r, "renamed", obj{"changes": obj{"repository": obj{"name": obj{"from": from}}}})
		out = s.handle(r)
		return nil
	})
	return out, err
}

// SetDefaultBranch makes an existing branch the default one. repository.edited is sent.
func (s *Sim) SetDefaultBranch(repo Repo, branch string) error {
	return s.changeRepo(repo, func(r *repository) error {
		if r.refs["refs/heads/"+branch] == "" {
			return fmt.Errorf("default branch of %s: there is no branch %s", r.fullName(), branch)
		}
		if _, err := s.gitLine(r, "symbolic-ref", "HEAD", "refs/heads/"+branch); err != nil {
			return fmt.Errorf("default branch of %s: %w", r.fullName(), err)
		}
		from := r.defaultBranch
		r.defaultBranch = branch
		s.emitRepository(r, "edited", obj{"changes": obj{"default_branch": obj{"from": from}}})
		return nil
	})
}

// SetArchived archives a repository, which makes it read-only, or takes it back. repository.archived or .unarchived is sent.
func (s *Sim) SetArchived(repo Repo, archived bool) error {
	return s.changeRepo(repo, func(r *repository) error {
		r.archived = archived
		action := "unarchived"
		if archived {
			action = "archived"
		}
		s.emitRepository(r, action, obj{})
		return nil
	})
}

func (s *Sim) changeRepo(repo Repo, change func(*repository) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[repo.ID]
	if r == nil {
		return fmt.Errorf("there is no repository %d", repo.ID)
	}
	r.updated = s.now()
	return change(r)
}
