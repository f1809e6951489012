package ghsim

import (
	"fmt"
	"slices"
)

// destroyGroup forgets a temporary branch. The branch itself is removed when the queue is advanced.
func (s *Sim) destroyGroup(i *issue, reason string) {
	if q := i.pull.queued; q.Head != "" {
		s.emit(event{name: "merge_group", action: "destroyed", repo: i.repo, actor: s.account(q.By), body: obj{"reason": reason, "merge_group": s.groupJSON(i)}})
		i.repo.stale = append(i.repo.stale, q.Ref)
		q.Ref, q.Head, q.Base = "", "", ""
	}
}

func (s *Sim) groupJSON(i *issue) obj {
	q := i.pull.queued
	out := obj{"head_sha": q.Head, "head_ref": q.Ref, "base_ref": "refs/heads/" + i.pull.base, "base_sha": q.Base}
	if commits, err := s.logOf(i.repo, "--max-count=1", q.Head); err == nil && len(commits) == 1 {
		c := commits[0]
		out["head_commit"] = obj{"id": c.SHA, "tree_id": c.Tree, "message": c.Message, "timestamp": stamp(c.Committer.When),
			"author": plainSignature(c.Author), "committer": plainSignature(c.Committer)}
	}
	return out
}

// buildGroup makes the temporary branch: the pull request on top of what is before it in the queue.
func (s *Sim) buildGroup(i *issue) error {
	q, r := i.pull.queued, i.repo
	if q.Head != "" {
		return nil
	}
	tip := r.refs["refs/heads/"+i.pull.base]
	for _, before := range r.queue[:slices.Index(r.queue, i)] {
		if before.pull.base == i.pull.base {
			tip = before.pull.queued.Head
		}
	}
	tree, err := s.mergeTree(r, tip, i.pull.headSHA)
	if err != nil {
		return err
	}
	message := fmt.Sprintf("Merge pull request #%d from %s/%s\n\n%s", i.number, i.headOwner(), i.pull.head, i.title)
	head, err := s.commitTree(r, tree, message, s.signatureOf(s.account(q.By)), s.site(), tip, i.pull.headSHA)
	if err != nil {
		return err
	}
	q.Head, q.Base, q.Ref = head, tip, fmt.Sprintf("refs/heads/gh-readonly-queue/%s/pr-%d-%s", i.pull.base, i.number, tip)
	if err := s.updateRef(r, q.Ref, head, ""); err != nil {
		return err
	}
	if err := s.refsChanged(r, s.account(q.By)); err != nil {
		return err
	}
	s.emit(event{name: "merge_group", action: "checks_requested", repo: r, actor: s.account(q.By), body: obj{"merge_group": s.groupJSON(i)}})
	return nil
}

// groupVerdict is how the required checks stand on the temporary branch.
func (s *Sim) groupVerdict(i *issue) string {
	verdict := checkPassed
	for _, set := range i.repo.rulesOn(i.pull.base) {
		for _, check := range set.Rules.Checks {
			switch i.repo.stateOf(check, i.pull.queued.Head) {
			case checkFailing:
				return checkFailing
			case checkPending, checkExpected:
				verdict = checkPending
			}
		}
	}
	return verdict
}

// landGroup moves the base to the temporary branch.
func (s *Sim) landGroup(i *issue, by *user) error {
	r, head := i.repo, i.pull.queued.Head
	base := "refs/heads/" + i.pull.base
	if err := s.updateRef(r, base, head, r.refs[base]); err != nil {
		return err
	}
	s.leaveQueue(i, "MERGE", "merged", by)
	return s.callOf(r, by).landed(i, head)
}

// sweepGroups removes temporary branches that nothing stands for any more.
func (s *Sim) sweepGroups(r *repository) error {
	if len(r.stale) == 0 {
		return nil
	}
	for _, ref := range r.stale {
		if sha := r.refs[ref]; sha != "" {
			if err := s.deleteRef(r, ref, sha); err != nil {
				return err
			}
		}
	}
	r.stale = nil
	return s.refsChanged(r, r.owner)
}
