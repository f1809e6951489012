package config

import (
	"fmt"
	"regexp"
	"strings"
)

// slug is how GitHub writes a team's name in addresses.
var slug = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// badTeam wants the slug alone: the organization is the repository's.
func badTeam(s string) string {
	bare := s[strings.LastIndex(s, "/")+1:]
	bare = strings.TrimPrefix(bare, "@")
	likely := strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(bare), "-"), "-")
	switch {
	case slug.MatchString(s):
		return ""
	case strings.Contains(s, "${"):
		return fmt.Sprintf("%q holds an expression; none are evaluated here", s)
	case likely == "":
		return fmt.Sprintf("%q is no slug of a team; write sre for @acme/sre", s)
	case bare != s:
		return fmt.Sprintf("%q names more than the team, which is one of this organization; write %s", s, likely)
	}
	return fmt.Sprintf("%q is no slug of a team, as its address has it; write %s", s, likely)
}

var notInSlug = regexp.MustCompile(`[^a-z0-9_]+`)

// login is that of a person, or of an app with [bot]. An enterprise adds _name
// (https://docs.github.com/en/enterprise-cloud@latest/admin/managing-iam/iam-configuration-reference/username-considerations-for-external-authentication).
var login = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$`)

func badLogin(s string) string {
	switch bare := strings.TrimPrefix(s, "@"); {
	case login.MatchString(s):
		return ""
	case strings.Contains(s, "${"):
		return fmt.Sprintf("%q holds an expression; none are evaluated here", s)
	case strings.Contains(s, "/"):
		return fmt.Sprintf("%q is no login; a team is written under `teams`: %s", s, s[strings.LastIndex(s, "/")+1:])
	case login.MatchString(bare):
		return fmt.Sprintf("%q is no login; write %s", s, bare)
	}
	return fmt.Sprintf("%q is no login of this GitHub, as in octocat", s)
}

// badCheck takes any name: apps may call their checks what they like.
func badCheck(s string) string {
	switch {
	case strings.Contains(s, "${"):
		return fmt.Sprintf("%q holds an expression; none are evaluated here", s)
	case strings.TrimSpace(s) != s:
		return fmt.Sprintf("%q begins or ends with a space; names of checks do not", s)
	case strings.HasPrefix(s, "!"):
		return fmt.Sprintf("%q: checks cannot be left out; name those that count", s)
	}
	return ""
}
