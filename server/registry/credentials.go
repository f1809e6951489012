package registry

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Everyone, in place of an owner, stands for the pipelines of all owners.
const Everyone = "*"

// Credentials are what an operator gave, by GitHub owner and path in a registry.
type Credentials struct {
	owners map[string]map[string]login // owner in lower case → path → login
}

type login struct{ user, password, token string }

// dockerConfig is the part of Docker's config.json that holds credentials:
// https://docs.docker.com/reference/cli/docker/login/#credential-stores
type dockerConfig struct {
	Auths map[string]struct {
		Auth, Username, Password string
		IdentityToken            string `json:"identitytoken"`
		RegistryToken            string `json:"registrytoken"`
	} `json:"auths"`
}

// ReadCredentials reads
//
//	{"owners": {"acme": {"auths": {"ghcr.io/acme": {"auth": "…"}}}}}
//
// in which what stands under an owner is a Docker config. "*" as owner is for all
// of them. Empty text holds none. No error shows a credential.
func ReadCredentials(text string) (*Credentials, error) {
	c := &Credentials{owners: map[string]map[string]login{}}
	if strings.TrimSpace(text) == "" {
		return c, nil
	}
	var file struct {
		Owners map[string]dockerConfig `json:"owners"`
		Auths  json.RawMessage         `json:"auths"`
	}
	if json.Unmarshal([]byte(text), &file) != nil {
		return nil, errors.New(`is no JSON of the form {"owners": {"OWNER": {"auths": {"REGISTRY/PATH": {"auth": "…"}}}}}`)
	}
	if file.Auths != nil {
		return nil, errors.New(`has "auths" at its top, as a Docker config has: say whose pipelines may use them, by {"owners": {"OWNER": {"auths": …}}}, or "*" for OWNER if everybody's may`)
	}
	for owner, config := range file.Owners {
		logins := map[string]login{}
		for path, a := range config.Auths {
			l := login{user: a.Username, password: a.Password, token: a.RegistryToken}
			if a.Auth != "" {
				raw, err := base64.StdEncoding.DecodeString(a.Auth)
				user, password, ok := strings.Cut(string(raw), ":")
				if err != nil || !ok {
					return nil, fmt.Errorf("owners.%s.auths.%q: auth is not USER:PASSWORD in base64", owner, path)
				}
				l.user, l.password = user, password
			}
			if a.IdentityToken != "" {
				return nil, fmt.Errorf("owners.%s.auths.%q: an identitytoken is bound to the machine that logged in; give auth", owner, path)
			}
			logins[normalPath(path)] = l
		}
		c.owners[strings.ToLower(owner)] = logins
	}
	return c, nil
}

// normalPath is a registry and path without scheme and slash at the end. Docker
// Hub has several names.
func normalPath(path string) string {
	if _, rest, ok := strings.Cut(path, "://"); ok {
		path = rest
	}
	path = strings.Trim(path, "/")
	host, rest, _ := strings.Cut(path, "/")
	switch host {
	case "index.docker.io", "docker.io", "registry-1.docker.io":
		host = "docker.io"
		if rest == "v1" || rest == "v2" {
			rest = ""
		}
	}
	return strings.Trim(strings.ToLower(host)+"/"+rest, "/")
}

// find is the login for a path: the longest that the owner was given, else that
// everyone was.
func (c *Credentials) find(owner, path string) (login, bool) {
	if c == nil {
		return login{}, false
	}
	path = normalPath(path)
	for _, who := range []string{strings.ToLower(owner), Everyone} {
		for at := path; at != ""; at = parent(at) {
			if l, ok := c.owners[who][at]; ok {
				return l, true
			}
		}
	}
	return login{}, false
}

// Login is what the pipelines of a GitHub owner may show at an address, a host and
// a path there; all empty: nothing. A token stands in place of user and password.
func (c *Credentials) Login(owner, address string) (user, password, token string) {
	l, _ := c.find(owner, address)
	return l.user, l.password, l.token
}

func parent(path string) string {
	i := strings.LastIndex(path, "/")
	if i < 0 {
		return ""
	}
	return path[:i]
}
