package ghsim

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// autoMerge is somebody's wish that a pull request be merged as soon as it may.
type autoMerge struct {
	By             string
	Method         string
	Title, Message string
	At             time.Time
}

// AllowAutoMerge is the repository's setting, off at first.
func (s *Sim) AllowAutoMerge(repo Repo, allowed bool) error {
	return s.changeRepo(repo, func(r *repository) error {
		r.autoMerge = allowed
		return nil
	})
}

// enableAutoMerge refuses a pull request that can be merged at once, and one whose base asks for nothing.
func (c *call) enableAutoMerge(i *issue, in obj) error {
	method := cmp.Or(word(in, "mergeMethod"), "merge")
	if head := text(in, "expectedHeadOid"); head != "" && head != i.pull.headSHA {
		return unprocessed("The head of the pull request is not %s", head)
	}
	if err := c.testMerge(i); err != nil {
		return err
	}
	state := c.mergeableState(i)
	switch {
	case !i.repo.autoMerge:
		return unprocessed("Auto merge is not allowed for this repository")
	case i.state != "open":
		return unprocessed("Pull request is closed")
	case len(i.repo.rulesOn(i.pull.base)) == 0:
		return unprocessed("Pull request Protected branch rules not configured for this branch")
	case state == "clean" || state == "unstable":
		return unprocessed("Pull request Pull request is in %s status", state)
	case !slices.Contains(i.repo.methods, method):
		return unprocessed("Merge method %s merging is not allowed on this repository", method)
	}
	i.pull.auto = &autoMerge{By: c.who.actor().login, Method: method, Title: text(in, "commitHeadline"), Message: text(in, "commitBody"), At: c.now}
	c.emitPull(i, "auto_merge_enabled", obj{}, c.who.actor())
	return nil
}

func (c *call) disableAutoMerge(i *issue, _ obj) error {
	if i.pull.auto == nil {
		return unprocessed("Can't disable auto-merge for this pull request.")
	}
	c.stopAutoMerge(i, c.who.actor(), "")
	return nil
}

// stopAutoMerge takes the wish back. GitHub does so by itself when the base changes, or somebody without write access pushes.
func (s *Sim) stopAutoMerge(i *issue, by *user, reason string) {
	if i.pull == nil || i.pull.auto == nil {
		return
	}
	i.pull.auto = nil
	s.emitPull(i, "auto_merge_disabled", obj{"reason": reason}, by)
}

func (s *Sim) autoMergeJSON(i *issue) any {
	a := i.pull.auto
	if a == nil {
		return nil
	}
	return obj{"enabled_by": s.userJSON(s.account(a.By)), "merge_method": a.Method, "commit_title": a.Title, "commit_message": a.Message}
}

// wakeMerges lets GitHub look, a moment later, at the merges that wait in a repository in which something happened.
func (s *Sim) wakeMerges(r *repository) {
	waits := func(i *issue) bool {
		return i.pull != nil && i.state == "open" && (i.pull.auto != nil || i.pull.queued != nil)
	}
	if r.merging || len(r.stale) == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(r.issues)), waits) {
		return
	}
	r.merging = true
	s.hooks.later(func() {
		r.push.Lock()
		defer r.push.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		r.merging = false
		s.mergeWaiting(r)
	})
}

// mergeWaiting merges what may be merged now; it runs under the push lock and the mutex.
func (s *Sim) mergeWaiting(r *repository) {
	for _, i := range slices.Backward(r.pulls()) {
		if i.state != "open" || i.pull.auto == nil {
			continue
		}
		if err := s.testMerge(i); err != nil {
			s.log.Error().Err(err).Int("number", i.number).Msg("cannot look whether a pull request merges")
			continue
		}
		if state := s.mergeableState(i); state == "clean" || state == "unstable" {
			a := i.pull.auto
			s.callOf(r, s.account(a.By)).mergeNow(i, mergeInput{Method: a.Method, Title: a.Title, Message: a.Message})
		}
	}
	s.advanceQueue(r)
}

// callOf is a call as GitHub makes it for an account, long after that asked for it.
func (s *Sim) callOf(r *repository, by *user) *call {
	c := &call{Sim: s, repo: r, now: s.now(), who: principal{kind: asPerson, user: by}}
	if by.app != nil {
		c.who = principal{kind: asInstalled, app: by.app}
	}
	return c
}
