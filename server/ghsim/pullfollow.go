package ghsim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pullsFollow moves the open pull requests of a branch that moved: new commits at their head, or a head that is gone; a
// base that moved, and may contain the head now.
func (s *Sim) pullsFollow(r *repository, c refChange, actor *user) error {
	branch := c.branch()
	if branch == "" {
		return nil
	}
	for _, i := range r.openPulls(func(p *pull) bool { return p.fork == 0 && p.head == branch }) {
		if err := s.headMoved(i, c, actor); err != nil {
			return err
		}
	}
	onBase := r.openPulls(func(p *pull) bool { return p.base == branch })
	if c.new == zeroSHA {
		for _, i := range onBase {
			s.closeIssue(i, actor, "") // nothing to merge into
		}
		return nil
	}
	if len(onBase) == 0 {
		return nil
	}
	contained, err := s.headsWithin(r, c.new)
	if err != nil {
		return err
	}
	for _, i := range onBase {
		i.pull.test, i.pull.testDue = nil, time.Time{}
		if contained[i.number] {
			s.markMerged(i, i.pull.headSHA, actor)
			s.closeIssue(i, actor, "")
		}
	}
	return nil
}

func (r *repository) openPulls(which func(*pull) bool) []*issue {
	return slices.DeleteFunc(r.pulls(), func(i *issue) bool { return i.state != "open" || !which(i.pull) })
}

// headsWithin are the pull requests, by number, whose head is part of a commit's history.
func (s *Sim) headsWithin(r *repository, sha string) (map[int]bool, error) {
	out, err := s.gitLine(r, "for-each-ref", "--format=%(refname)", "--merged="+sha, "refs/pull/*/head")
	if err != nil {
		return nil, fmt.Errorf("pull requests that %s contains: %w", sha, err)
	}
	numbers := map[int]bool{}
	for _, ref := range strings.Fields(out) {
		if n, err := strconv.Atoi(strings.Split(ref, "/")[2]); err == nil {
			numbers[n] = true
		}
	}
	return numbers, nil
}

func (s *Sim) headMoved(i *issue, c refChange, actor *user) error {
	if c.new == zeroSHA {
		s.closeIssue(i, actor, "")
		return nil
	}
	before, err := s.approvedFiles(i)
	if err != nil {
		return err
	}
	i.pull.headSHA, i.pull.lastPusher, i.updated = c.new, actor.login, s.now()
	if err := s.measure(i); err != nil {
		return err
	}
	s.leaveQueue(i, "NEW_COMMITS", "dequeued", actor)
	if actor.kind == "User" && i.repo.roleOf(actor) < roleWrite {
		s.stopAutoMerge(i, actor, "Head branch was pushed to by a user without write access")
	}
	if err := s.dismissStale(i, before, actor); err != nil {
		return err
	}
	s.emitPull(i, "synchronize", obj{"before": c.old, "after": c.new}, actor)
	return nil
}

// measure computes what depends on head and base, and keeps the head under refs/pull, where it outlives its branch.
func (s *Sim) measure(i *issue) error {
	p, r := i.pull, i.repo
	if err := s.fetchHead(i); err != nil {
		return fmt.Errorf("pull request #%d: fetch the fork: %w", i.number, err)
	}
	p.baseSHA, p.test, p.testDue = r.refs["refs/heads/"+p.base], nil, time.Time{}
	var err error
	if p.forkPoint, err = s.gitLine(r, "merge-base", p.baseSHA, p.headSHA); err != nil {
		return fmt.Errorf("pull request #%d: %s and %s have no commit in common: %w", i.number, p.base, p.head, err)
	}
	if p.stats, err = s.statsOf(i); err != nil {
		return fmt.Errorf("pull request #%d: %w", i.number, err)
	}
	return s.updateRef(r, fmt.Sprintf("refs/pull/%d/head", i.number), p.headSHA, "")
}
