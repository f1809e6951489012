package ghsim

import (
	"net/http"
	"strconv"
	"strings"
)

// lockRefs takes the push lock of the repository in the path, and gives what releases it.
func (s *Sim) lockRefs(r *http.Request) (unlock func()) {
	s.mu.Lock()
	repo := s.repos[s.names[strings.ToLower(r.PathValue("owner")+"/"+r.PathValue("repo"))]]
	s.mu.Unlock()
	if repo == nil {
		return func() {}
	}
	repo.push.Lock()
	return repo.push.Unlock
}

// resolveRepo finds the repository in the path. One that the caller cannot see does not exist, and a former name
// redirects: reads by 301, writes by 307, which keeps the method.
func (c *call) resolveRepo() *reply {
	owner, name := c.path("owner"), c.path("repo")
	if owner == "" {
		return nil
	}
	r := c.repos[c.names[strings.ToLower(owner+"/"+name)]]
	if r == nil || !c.who.sees(r) && (c.route.auth != authJWT || c.installedOn(r) == nil) {
		gone := notFound()
		return &gone
	}
	if c.tooFresh(c.who) {
		fresh := notFound()
		return &fresh
	}
	c.repo = r
	if strings.EqualFold(r.fullName(), owner+"/"+name) {
		return nil
	}
	moved := c.moved(strings.SplitN(c.r.URL.EscapedPath(), "/", 5))
	return &moved
}

func (c *call) moved(parts []string) reply {
	to := c.api("/repositories/" + strconv.FormatInt(c.repo.id, 10))
	if len(parts) == 5 {
		to += "/" + parts[4]
	}
	if c.r.URL.RawQuery != "" {
		to += "?" + c.r.URL.RawQuery
	}
	status, message := http.StatusMovedPermanently, "Moved Permanently"
	if !isRead(c.r.Method) {
		status, message = http.StatusTemporaryRedirect, "Temporary Redirect"
	}
	return reply{status: status, body: obj{"message": message, "url": to, "documentation_url": c.route.docsURL()}}.with("Location", to)
}
