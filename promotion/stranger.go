package promotion

import (
	"slices"
	"strings"
	"time"
)

// How long it is believed that somebody has no more than everybody has, and of
// how many people. Whoever likes may comment on a public repository, and each
// question to GitHub counts.
const (
	strangerFor   = time.Hour
	mostStrangers = 500
)

// Stranger is somebody who was found to have no more than everybody has.
type Stranger struct {
	Until      time.Time `json:"until"`
	Permission string    `json:"permission,omitempty"`
	Role       string    `json:"role,omitempty"`
	Teams      []string  `json:"teams,omitempty"` // asked about: they are in none of them
}

// rememberStranger keeps what was just read of somebody, if that is a stranger.
func (c *core) rememberStranger(e *Effect, r Result) {
	if !c.stranger(r) || r.TeamsUnread != "" || len(r.Teams) > 0 {
		return
	}
	known := map[string]Stranger{}
	for login, s := range c.state.Local.Strangers {
		if s.Until.After(c.now) {
			known[login] = s
		}
	}
	if len(known) < mostStrangers {
		known[strings.ToLower(e.Login)] = Stranger{Until: c.now.Add(strangerFor), Permission: r.Permission, Role: r.Role, Teams: e.Teams}
	}
	c.state.Local.Strangers = known
}

// turnAway answers the commands of a known stranger without asking GitHub again.
// It reports false for others, and for whom the config names by now: they are
// asked about.
func (c *core) turnAway(s *CommentState) bool {
	known, ok := c.state.Local.Strangers[strings.ToLower(s.By)]
	if !ok || !known.Until.After(c.now) || !within(c.teamsFor(s), known.Teams) {
		return false
	}
	r := Result{Permission: known.Permission, Role: known.Role}
	if !c.stranger(r) || slices.ContainsFunc(s.Commands, func(k CommandState) bool { return c.isNamed(s, k.Command, r) }) {
		return false // the repository is private now, or the config names them
	}
	c.verdicts(&Effect{Login: s.By, Teams: known.Teams}, func(of *CommentState, _ Command) (Verdict, string) {
		if of.Comment != s.Comment || of.Cause != s.Cause {
			return "", "" // each comment is looked at by itself
		}
		return VerdictDenied, ""
	})
	return true
}
