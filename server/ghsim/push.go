package ghsim

import (
	"fmt"
	"net/http"
)

// PressButton presses a button of a completed check run, which takes write access; the App that made the run hears of it.
func (p Person) PressButton(repo Repo, checkRun int64, identifier string) error {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	u, r := p.sim.addPerson(p.login), p.sim.repos[repo.ID]
	if r == nil || r.runs[checkRun] == nil {
		return fmt.Errorf("press button: there is no check run %d", checkRun)
	}
	run := r.runs[checkRun]
	switch {
	case r.roleOf(u) < roleWrite:
		return fmt.Errorf("press button: %s has no write access to %s and sees no buttons", p.login, r.fullName())
	case run.status != "completed" || !run.hasAction(identifier):
		return fmt.Errorf("press button: check run %s (%s) shows no button %q", run.name, run.status, identifier)
	}
	p.sim.emitRun(run, "requested_action", obj{"requested_action": obj{"identifier": identifier}}, u)
	return nil
}

// Commit pushes one commit that writes files (content Deleted removes one) to a branch, and gives its SHA. A branch that does
// not exist begins at the default branch.
func (p hands) Commit(repo Repo, branch string, files map[string]string, message string) (string, error) {
	r, unlock, err := p.sim.holdRefs(repo)
	if err != nil {
		return "", fmt.Errorf("commit: %w", err)
	}
	defer unlock()
	u := p.account()
	if !p.mayPush(r) {
		return "", fmt.Errorf("commit: %s may not push to %s", p.login, r.fullName())
	}
	before, from := r.refs["refs/heads/"+branch], r.refs["refs/heads/"+r.defaultBranch]
	if err := p.sim.writeCommit(r, branch, from, files, message, p.sim.signatureOf(u)); err != nil {
		return "", fmt.Errorf("commit to %s of %s: %w", branch, r.fullName(), err)
	}
	if err := p.sim.undoRefused(r, "refs/heads/"+branch, before, u); err != nil {
		return "", fmt.Errorf("commit to %s of %s: %w", branch, r.fullName(), err)
	}
	if err := p.sim.refsChanged(r, u); err != nil {
		return "", fmt.Errorf("commit to %s of %s: %w", branch, r.fullName(), err)
	}
	return r.refs["refs/heads/"+branch], nil
}

// undoRefused moves a branch back that was just moved, if rules forbid that to the account.
func (s *Sim) undoRefused(r *repository, ref, before string, by *user) error {
	if len(r.rulesets) == 0 {
		return nil
	}
	now, err := s.readRefs(r)
	if err != nil {
		return err
	}
	refused := s.refusePush(r, []refChange{{ref: ref, old: orZero(before), new: now[ref]}}, by)
	if refused == nil {
		return nil
	}
	if err := s.updateRef(r, ref, before, ""); err != nil {
		return err
	}
	return refused
}

// account is who acts; it is called under the mutex.
func (p hands) account() *user {
	if p.inst != 0 {
		return p.sim.account(p.login)
	}
	return p.sim.addPerson(p.login)
}

// mayPush is the permission to write contents; it is called under the mutex.
func (p hands) mayPush(r *repository) bool {
	if p.inst == 0 {
		return !r.archived && r.roleOf(p.account()) >= roleWrite
	}
	inst := p.sim.insts[p.inst]
	return !r.archived && inst != nil && inst.repos[r.id] && !inst.deleted && inst.suspendedAt.IsZero() && inst.permissions["contents"] == "write"
}

// DeleteBranch deletes a branch, as by a push.
func (p hands) DeleteBranch(repo Repo, branch string) error {
	return p.Do(http.MethodDelete, p.at(repo, "/git/refs/heads/%s", branch), nil, nil)
}

// holdRefs takes the push lock of a repository and the mutex, in that order.
func (s *Sim) holdRefs(repo Repo) (*repository, func(), error) {
	s.mu.Lock()
	r := s.repos[repo.ID]
	s.mu.Unlock()
	if r == nil {
		return nil, nil, fmt.Errorf("there is no repository %d", repo.ID)
	}
	r.push.Lock()
	s.mu.Lock()
	return r, func() { s.mu.Unlock(); r.push.Unlock() }, nil
}
