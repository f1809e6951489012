package ghsim

import (
	"errors"
	"slices"
	"time"
)

// queueEntry is a pull request's place in the merge queue of its base. Ref and Head are its temporary branch, once there is one.
type queueEntry struct {
	ID        int64
	By        string
	At        time.Time
	Ref, Head string
	Base      string // the commit below Head
}

// enqueue puts a pull request that meets all other rules at the end of the queue.
func (c *call) enqueue(i *issue, in obj) error {
	rules := slices.DeleteFunc(i.repo.rulesOn(i.pull.base), func(set *ruleset) bool { return !set.Rules.MergeQueue })
	switch head := text(in, "expectedHeadOid"); {
	case len(rules) == 0:
		return unprocessed("The base branch %s has no merge queue", i.pull.base)
	case i.state != "open" || i.pull.draft:
		return unprocessed("Pull request is not open, or a draft")
	case i.pull.queued != nil:
		return unprocessed("Pull request is already in the queue")
	case head != "" && head != i.pull.headSHA:
		return unprocessed("The head of the pull request is not %s", head)
	}
	for _, set := range i.repo.rulesOn(i.pull.base) {
		others := set.Rules
		others.MergeQueue = false
		if missing := c.unmet(i, others, ""); len(missing) > 0 {
			return unprocessed("Pull request is not ready for the queue: %s", missing[0])
		}
	}
	i.pull.queued = &queueEntry{ID: c.nextID(), By: c.who.actor().login, At: c.now}
	i.repo.queue = append(i.repo.queue, i)
	c.emitPull(i, "enqueued", obj{}, c.who.actor())
	return nil
}

func (c *call) dequeue(i *issue, _ obj) error {
	if i.pull.queued == nil {
		return unprocessed("Pull request is not in the queue")
	}
	c.leaveQueue(i, "MANUAL", "dequeued", c.who.actor())
	return nil
}

func (c *call) queueEntryJSON(i *issue) obj {
	q := i.pull.queued
	state := "QUEUED"
	if q.Head != "" {
		state = "AWAITING_CHECKS"
	}
	return obj{
		"id": nodeID("MQE", q.ID), "position": slices.Index(i.repo.queue, i) + 1, "state": state, "enqueuedAt": stamp(q.At),
		"headCommit": obj{"oid": textOrNull(q.Head)}, "pullRequest": obj{"id": i.node(), "number": i.number},
	}
}

// leaveQueue takes a pull request out, for a reason of the event dequeued, and lets those behind it be built anew. Their
// branches go, for the reason of the event merge_group.destroyed.
func (s *Sim) leaveQueue(i *issue, reason, destroyed string, by *user) {
	at := slices.Index(i.repo.queue, i)
	if at < 0 {
		return
	}
	left := slices.Clone(i.repo.queue[at:])
	for n, other := range left {
		why := "invalidated"
		if n == 0 {
			why = destroyed
		}
		if reason != "MERGE" || n == 0 {
			s.destroyGroup(other, why)
		}
	}
	i.repo.queue = slices.Delete(i.repo.queue, at, at+1)
	i.pull.queued = nil
	s.emitPull(i, "dequeued", obj{"reason": reason}, by)
}

// advanceQueue builds what is not built, lands what is green, drops what is red. It runs under the push lock and the mutex.
func (s *Sim) advanceQueue(r *repository) {
	if err := s.tryAdvance(r); err != nil {
		s.log.Error().Err(err).Str("repository", r.fullName()).Msg("the merge queue is stuck")
	}
}

func (s *Sim) tryAdvance(r *repository) error {
	for _, i := range slices.Clone(r.queue) {
		if i.pull.queued == nil {
			continue
		}
		by := s.account(i.pull.queued.By)
		if i.state != "open" {
			s.leaveQueue(i, "PULL_REQUEST_CLOSED", "dequeued", by)
			continue
		}
		if err := s.buildGroup(i); errors.Is(err, errConflict) {
			s.leaveQueue(i, "MERGE_CONFLICT", "invalidated", by)
			continue
		} else if err != nil {
			return err
		}
		switch verdict := s.groupVerdict(i); {
		case verdict == checkFailing:
			s.leaveQueue(i, "CI_FAILURE", "dequeued", by)
		case verdict == checkPassed && r.queue[0] == i:
			if err := s.landGroup(i, by); err != nil {
				return err
			}
		}
	}
	return s.sweepGroups(r)
}
