package ghsim

import "fmt"

// DeleteIssue deletes an issue, as the page does for who administers the repository; REST has no way to do it. It is
// gone for everybody at once, and its number is not used again.
func (p Person) DeleteIssue(repo Repo, number int) error {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	u, r := p.sim.addPerson(p.login), p.sim.repos[repo.ID]
	switch {
	case r == nil || r.issues[number] == nil || r.issues[number].pull != nil:
		return fmt.Errorf("delete issue: there is no issue #%d", number)
	case r.roleOf(u) < roleAdmin:
		return fmt.Errorf("delete issue: %s does not administer %s", p.login, r.fullName())
	}
	gone := r.issues[number]
	delete(r.issues, number)
	p.sim.emitIssue(gone, "deleted", obj{}, u)
	return nil
}
