package expr

import "strings"

// sameRepo reports whether two spellings name one repository of a kind.
func (e *Env) sameRepo(kind, a, b string) bool {
	switch kind {
	case "image":
		return imageKey(a) == imageKey(b)
	case "chart":
		return plainKey(a) == plainKey(b)
	}
	return e.gitKey(a) == e.gitKey(b)
}

// gitKey is the host and path of a git repository, whatever way its URL is
// written: https, ssh, the scp form, "owner/name" for one on our GitHub; with or
// without .git, in any case, with any user, on any port.
func (e *Env) gitKey(url string) string {
	url = strings.ToLower(strings.TrimSpace(url))
	scheme, rest, hasScheme := strings.Cut(url, "://")
	if !hasScheme {
		rest = scheme
	}
	if _, after, ok := strings.Cut(authority(rest), "@"); ok {
		rest = after + rest[len(authority(rest)):]
		if !hasScheme {
			rest = strings.Replace(rest, ":", "/", 1)
			hasScheme = true
		}
	}
	if !hasScheme && strings.Count(strings.Trim(rest, "/"), "/") == 1 {
		_, host, _ := strings.Cut(strings.ToLower(e.webURL()), "://")
		rest = host + "/" + strings.Trim(rest, "/")
	}
	host, path, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, ":")
	return host + "/" + strings.TrimSuffix(strings.Trim(path, "/"), ".git")
}

// authority is the part of a URL in front of the first slash.
func authority(s string) string {
	host, _, _ := strings.Cut(s, "/")
	return host
}

// gitURL is the URL of a repository that is named as "owner/name".
func (e *Env) gitURL(repo string) string {
	if strings.Contains(repo, "://") || strings.Count(repo, "/") != 1 {
		return repo
	}
	return e.webURL() + "/" + repo + ".git"
}

// imageKey is an image's name in full, as Docker resolves the short forms
// (https://docs.docker.com/reference/cli/docker/image/tag/).
func imageKey(ref string) string {
	key := plainKey(ref)
	host, rest, found := strings.Cut(key, "/")
	if !found || !strings.ContainsAny(host, ".:") && host != "localhost" {
		host, rest = "docker.io", key
	}
	if host == "index.docker.io" || host == "registry-1.docker.io" {
		host = "docker.io"
	}
	if host == "docker.io" && !strings.Contains(rest, "/") {
		rest = "library/" + rest
	}
	return host + "/" + rest
}

// plainKey leaves out the scheme, the case and a final slash.
func plainKey(url string) string {
	url = strings.ToLower(strings.TrimSpace(url))
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	return strings.TrimRight(url, "/")
}
