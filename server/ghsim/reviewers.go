package ghsim

import "slices"

// answered takes a reviewer off the list of those who were asked.
func (p *pull) answered(u *user) {
	p.asked = slices.DeleteFunc(p.asked, func(login string) bool { return login == u.login })
}
