package ghsim

import (
	"fmt"
	"strings"
)

// TransferRepo gives a repository to another owner; the former name redirects. Installations of the former owner lose it
// without a word. Installations of the new owner get it, and they alone hear repository.transferred.
func (s *Sim) TransferRepo(repo Repo, owner string) (Repo, error) {
	var out Repo
	err := s.changeRepo(repo, func(r *repository) error {
		to, from := s.ownerOf(owner), r.owner
		key := strings.ToLower(to.login + "/" + r.name)
		if s.repos[s.names[key]] != nil {
			return fmt.Errorf("transfer %s: %s is taken", r.fullName(), key)
		}
		for _, inst := range s.insts {
			delete(inst.repos, r.id)
			if inst.account == to && !inst.deleted {
				inst.repos[r.id] = true
			}
		}
		r.owner, s.names[key] = to, r.id
		was := "user"
		if from.kind == "Organization" {
			was = "organization"
		}
		s.emitRepository(r, "transferred", obj{"changes": obj{"owner": obj{"from": obj{was: s.userJSON(from)}}}})
		out = s.handle(r)
		return nil
	})
	return out, err
}

// SetIssues switches the issues of a repository on or off. No event tells of it. Issues come back as they were.
func (s *Sim) SetIssues(repo Repo, on bool) error {
	return s.changeRepo(repo, func(r *repository) error {
		r.noIssues = !on
		return nil
	})
}
