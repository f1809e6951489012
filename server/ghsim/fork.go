package ghsim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fork makes the person's own copy of a repository that they can read.
func (p Person) Fork(repo Repo) (Repo, error) {
	s := p.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	u, r := s.addPerson(p.login), s.repos[repo.ID]
	key := strings.ToLower(u.login + "/" + repo.Name)
	switch {
	case r == nil || r.roleOf(u) < roleRead:
		return Repo{}, fmt.Errorf("fork %s: %s cannot read it", repo.FullName(), p.login)
	case s.repos[s.names[key]] != nil:
		return Repo{}, fmt.Errorf("fork %s: %s is taken", repo.FullName(), key)
	}
	fork := s.newRepository(u.login, r.name, RepoOptions{Private: r.private, DefaultBranch: r.defaultBranch, MergeMethods: r.methods})
	if err := s.fill(fork, RepoOptions{FromGit: s.gitDir(r)}); err != nil {
		return Repo{}, fmt.Errorf("fork %s: %w", repo.FullName(), err)
	}
	fork.parent = r.id
	s.repos[fork.id], s.names[key] = fork, fork.id
	return s.handle(fork), nil
}

// headRepo is where the head branch of a pull request is; nil when that fork was deleted.
func (s *Sim) headRepo(i *issue) *repository {
	if i.pull.fork == 0 {
		return i.repo
	}
	return s.repos[i.pull.fork]
}

// headOwner is the login before the branch in a pull request's label; it outlives the fork.
func (i *issue) headOwner() string {
	if i.pull.fork == 0 {
		return i.repo.owner.login
	}
	return i.pull.forkOwner
}

// findHead reads the head of a new pull request: BRANCH, or OWNER:BRANCH for one of a fork in the same network.
func (s *Sim) findHead(r *repository, head string) *pull {
	owner, branch, qualified := strings.Cut(head, ":")
	if !qualified {
		owner, branch = r.owner.login, head
	}
	if strings.EqualFold(owner, r.owner.login) {
		return &pull{head: branch, headSHA: r.refs["refs/heads/"+branch]}
	}
	for _, id := range slices.Sorted(maps.Keys(s.repos)) {
		fork := s.repos[id]
		if strings.EqualFold(fork.owner.login, owner) && fork.parent == r.id {
			return &pull{head: branch, headSHA: fork.refs["refs/heads/"+branch], fork: fork.id, forkOwner: fork.owner.login}
		}
	}
	return &pull{head: branch}
}

// fetchHead brings the commits of a fork's branch into the repository, where they are kept below refs/pull.
func (s *Sim) fetchHead(i *issue) error {
	fork := s.headRepo(i)
	if i.pull.fork == 0 || fork == nil {
		return nil
	}
	_, err := s.gitLine(i.repo, "fetch", "--quiet", "--no-write-fetch-head", "--no-tags", s.gitDir(fork), i.pull.headSHA)
	return err
}

// forkFollows moves pull requests whose head is a branch of a fork.
func (s *Sim) forkFollows(fork *repository, c refChange, actor *user) error {
	parent := s.repos[fork.parent]
	if parent == nil || c.branch() == "" {
		return nil
	}
	for _, i := range parent.openPulls(func(p *pull) bool { return p.fork == fork.id && p.head == c.branch() }) {
		if err := s.headMoved(i, c, actor); err != nil {
			return err
		}
	}
	return nil
}

// DeleteRepo deletes a repository. Pull requests from it stay where they were opened, without head repository.
func (s *Sim) DeleteRepo(repo Repo) error {
	return s.changeRepo(repo, func(r *repository) error {
		s.emitRepository(r, "deleted", obj{})
		delete(s.repos, r.id)
		for _, inst := range s.insts {
			delete(inst.repos, r.id)
		}
		return nil
	})
}
