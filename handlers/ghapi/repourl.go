package ghapi

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// scp is git's short form of an ssh address: git@github.com:acme/web.git.
var scp = regexp.MustCompile(`^(?:[^@/]+@)?([^:/]+):([^/].*)$`)

// own checks that a step's repoURL, if it has one, means this repository,
// however it is spelled.
func (r *repository) own(repoURL, step string) error {
	if repoURL == "" || sameRepository(repoURL, r.api.opts.WebURL, r.FullName()) {
		return nil
	}
	return promotion.Terminal(fmt.Errorf("%s works on this repository, %s, and its repoURL names %s; leave repoURL out", step, r.FullName(), repoURL))
}

func sameRepository(repoURL, webURL, fullName string) bool {
	host, path := hostAndPath(repoURL)
	home, err := url.Parse(webURL)
	if err != nil || host != "" && !strings.EqualFold(host, home.Hostname()) {
		return false
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	return strings.EqualFold(path, fullName)
}

// hostAndPath takes an address apart; a path alone has no host.
func hostAndPath(address string) (host, path string) {
	if !strings.Contains(address, "://") {
		if m := scp.FindStringSubmatch(address); m != nil {
			return m[1], m[2]
		}
		return "", address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "?", ""
	}
	return u.Hostname(), u.Path
}
