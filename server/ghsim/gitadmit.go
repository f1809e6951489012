package ghsim

import (
	"fmt"
	"net/http"
	"strings"
)

// admit finds repository and caller, and refuses those who may not.
func (s *Sim) admit(g *gitCall, r *http.Request, name string) *reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	who, refused := s.authenticate(r.Header.Get("Authorization"))
	if refused != nil {
		return gitRefusal(http.StatusUnauthorized, "Invalid username or token.")
	}
	g.who = who
	g.repo = s.repos[s.names[strings.ToLower(name)]]
	if g.repo == nil || !who.sees(g.repo) || s.tooFresh(who) || who.kind == asApp {
		if who.kind == anonymous {
			return gitRefusal(http.StatusUnauthorized, "Repository not found.")
		}
		return gitRefusal(http.StatusNotFound, "Repository not found.")
	}
	return g.gate()
}

// gate is the permission to read or to write.
func (g *gitCall) gate() *reply {
	least, needs := roleRead, "contents=read"
	if g.pushes {
		least, needs = roleWrite, "contents=write"
	}
	switch g.who.kind {
	case anonymous:
		if g.pushes {
			return gitRefusal(http.StatusUnauthorized, "Authentication is required to push.")
		}
	case asInstalled:
		outside := !g.who.token.reaches(g.repo.id)
		if outside && g.pushes || !outside && !permits(g.who.token.granted(), needs) {
			return gitRefusal(http.StatusForbidden, "Write access to repository not granted.")
		}
	default:
		if g.repo.roleOf(g.who.user) < least {
			return gitRefusal(http.StatusForbidden, fmt.Sprintf("Permission to %s.git denied to %s.", g.repo.fullName(), g.who.user.login))
		}
	}
	if g.pushes && g.repo.archived {
		return gitRefusal(http.StatusForbidden, "This repository was archived so it is read-only.")
	}
	return nil
}

func gitRefusal(status int, message string) *reply {
	r := reply{status: status, body: []byte(message + "\n")}.with("Content-Type", "text/plain")
	if status == http.StatusUnauthorized {
		r = r.with("WWW-Authenticate", `Basic realm="GitHub"`)
	}
	return &r
}
