package promotion

import (
	"regexp"
	"strings"
)

var (
	// scpAddress is git's short form of an ssh address: git@github.com:acme/web.git.
	// https://git-scm.com/docs/git-clone#_git_urls
	scpAddress = regexp.MustCompile(`^(?:[^@/]+@)?([^:/]+):([^/].*)$`)
	// ownerAndName are the characters that GitHub has in such names.
	ownerAndName = regexp.MustCompile(`^[A-Za-z0-9_-]+/[A-Za-z0-9._-]+$`)
)

// ParseRepoURL takes the address of a git repository apart, however it is spelled:
// https, ssh, git's short form, with .git or without, or as OWNER/NAME, which has no
// host. host is in lower case and without a port; ok is false for what leads to no
// OWNER/NAME.
func ParseRepoURL(address string) (host, fullName string, ok bool) {
	path := strings.TrimSpace(address)
	if _, rest, has := strings.Cut(path, "://"); has {
		host, path, _ = strings.Cut(rest, "/")
		host = host[strings.LastIndex(host, "@")+1:]
		if host = withoutPort(host); host == "" {
			return "", "", false
		}
	} else if m := scpAddress.FindStringSubmatch(path); m != nil {
		host, path = m[1], m[2]
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	_, name, _ := strings.Cut(path, "/")
	if !ownerAndName.MatchString(path) || strings.Trim(name, ".") == "" {
		return "", "", false
	}
	return strings.ToLower(host), path, true
}

// withoutPort is a host; that of an IPv6 address has colons of its own, in brackets.
func withoutPort(host string) string {
	if end := strings.LastIndex(host, "]"); end >= 0 {
		return host[:end+1]
	}
	host, _, _ = strings.Cut(host, ":")
	return host
}

// RepoAt is the OWNER/NAME that an address means on the GitHub at webURL; ok is false
// when it leads elsewhere, or nowhere.
func RepoAt(webURL, address string) (fullName string, ok bool) {
	host, fullName, ok := ParseRepoURL(address)
	home, _, _ := ParseRepoURL(strings.TrimSuffix(webURL, "/") + "/owner/name")
	return fullName, ok && (host == "" || host == home)
}
