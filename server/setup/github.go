package setup

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v57/github"
)

// timeout is that of one request to GitHub. It goes with the request: a client's own would leave a goroutine behind for
// each error of GitHub's, whose body go-github replaces instead of closing it.
const timeout = 30 * time.Second

// site is one GitHub: github.com, a GHE.com of one's own, or a GitHub Enterprise Server.
type site struct {
	web string // without a slash at the end
	v3  string // with one
	v4  string // without
}

const dotcom = "https://github.com"

// siteAt finds the addresses of the GitHub whose pages are at web; "" is github.com.
// https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency/network-details-for-ghecom
func siteAt(web string) (site, error) {
	if web == "" {
		web = dotcom
	}
	u, err := url.Parse(strings.TrimRight(web, "/"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Path != "" || u.RawQuery != "" || u.User != nil {
		return site{}, fmt.Errorf("%q is no address of a GitHub: write it like https://github.example.com", web)
	}
	at := site{web: u.String(), v3: u.String() + "/api/v3/", v4: u.String() + "/api/graphql"}
	if at.web == dotcom || strings.HasSuffix(u.Hostname(), ".ghe.com") {
		at.v3 = u.Scheme + "://api." + u.Host + "/"
		at.v4 = at.v3 + "graphql"
	}
	return at, nil
}

// newApp is the page that takes a manifest for an account; org is empty for the person's own.
func (s site) newApp(org, state string) string {
	return s.apps(org) + "/new?" + url.Values{"state": {state}}.Encode()
}

// apps is the list of an account's Apps.
func (s site) apps(org string) string {
	if org == "" {
		return s.web + "/settings/apps"
	}
	return s.web + "/organizations/" + url.PathEscape(org) + "/settings/apps"
}

// settingsOf is the page on which an App's owner changes it.
func (s site) settingsOf(a *github.AppConfig) string {
	org := ""
	if a.GetOwner().GetType() == "Organization" {
		org = a.GetOwner().GetLogin()
	}
	return s.apps(org) + "/" + a.GetSlug()
}

// anybody is a client without credentials.
func (o Options) anybody(at site) (*github.Client, error) {
	base, err := url.Parse(at.v3)
	if err != nil {
		return nil, err
	}
	c := github.NewClient(&http.Client{Transport: o.Transport})
	c.BaseURL, c.UserAgent = base, "stagecoach/"+o.Version
	return c, nil
}

// publicURL reads the address at which GitHub and people will reach the server.
func publicURL(given string, at site) (string, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(given), "/"))
	switch {
	case given == "":
		return "", errors.New("--public-url is missing: give the address at which GitHub will reach the server, like https://promote.example.com")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", fmt.Errorf("--public-url is %q: write scheme, host and path alone, like https://promote.example.com", given)
	case local(u.Hostname()) && !local(hostOf(at.web)):
		return "", fmt.Errorf("--public-url is %q: GitHub cannot reach an address of this machine alone; give one that leads here from outside", given)
	}
	return u.String(), nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// local says whether a host is this machine by its name.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}
