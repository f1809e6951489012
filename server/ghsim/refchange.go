package ghsim

import (
	"fmt"
	"sort"
	"strings"
)

// refChange is one ref that moved; old or new is zeroSHA when it was made or deleted.
type refChange struct {
	ref, old, new string
}

func (c refChange) branch() string {
	name, is := strings.CutPrefix(c.ref, "refs/heads/")
	if !is {
		return ""
	}
	return name
}

// refsChanged compares the refs on disk with those known, tells pull requests and Apps of the difference, and remembers
// the new ones. It runs under the push lock and the mutex.
func (s *Sim) refsChanged(r *repository, actor *user) error {
	now, err := s.readRefs(r)
	if err != nil {
		return err
	}
	before := r.refs
	r.refs = now
	changes := difference(before, now)
	if len(changes) == 0 {
		return nil
	}
	r.pushed, r.updated = s.now(), s.now()
	for _, c := range changes {
		if err := s.emitPush(r, c, before, len(changes), actor); err != nil {
			return err
		}
		if err := s.pullsFollow(r, c, actor); err != nil {
			return err
		}
		if err := s.forkFollows(r, c, actor); err != nil {
			return err
		}
	}
	return nil
}

func difference(before, now map[string]string) []refChange {
	var out []refChange
	for ref, sha := range now {
		if before[ref] != sha {
			out = append(out, refChange{ref: ref, old: orZero(before[ref]), new: sha})
		}
	}
	for ref, sha := range before {
		if now[ref] == "" {
			out = append(out, refChange{ref: ref, old: sha, new: zeroSHA})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ref < out[j].ref })
	return out
}

func orZero(sha string) string {
	if sha == "" {
		return zeroSHA
	}
	return sha
}

// pushedCommits are the commits that a push brought to a ref, oldest first; for a new branch those on no other branch.
func (s *Sim) pushedCommits(r *repository, c refChange, before map[string]string) ([]Commit, error) {
	if c.new == zeroSHA || c.branch() == "" {
		return nil, nil
	}
	args := []string{"--reverse", "--max-count=2048", c.new}
	if c.old != zeroSHA {
		args = append(args, "--not", c.old)
	} else {
		args = append(args, "--not")
		for ref, sha := range before {
			if strings.HasPrefix(ref, "refs/heads/") {
				args = append(args, sha)
			}
		}
	}
	commits, err := s.logOf(r, args...)
	if err != nil {
		return nil, fmt.Errorf("commits of the push to %s: %w", c.ref, err)
	}
	return commits, nil
}

// contains says whether commit ancestor is part of descendant's history.
func (s *Sim) contains(r *repository, descendant, ancestor string) bool {
	_, err := s.gitLine(r, "merge-base", "--is-ancestor", ancestor, descendant)
	return err == nil
}
