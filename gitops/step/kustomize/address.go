package kustomize

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// address is what a kustomization names elsewhere: a folder in a git repository, or
// one file. It is read as Kustomize reads it:
// https://github.com/kubernetes-sigs/kustomize/blob/master/examples/remoteBuild.md
type address struct {
	url string // of the repository or the file, https://host/path
	dir string // the folder in the repository; "." is its root
	ref string // a branch, a tag or a commit; "": the default branch
	git bool
}

var (
	scheme     = regexp.MustCompile(`(?i)^([a-z][a-z0-9+.-]*)://`)
	scp        = regexp.MustCompile(`^[A-Za-z0-9-]+@[^/]+:`)
	fileEnding = regexp.MustCompile(`\.(?:ya?ml|json)$`)
)

const (
	github    = "github.com"
	azureMark = "_git/" // one folder above the repository, at Azure DevOps
)

// parseAddress reads what a kustomization names elsewhere. folder: it must be a
// folder, as components are.
func parseAddress(text string, folder bool) (address, error) {
	u, git, err := parseURL(text)
	if err != nil {
		return address{}, err
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return address{}, step.Refuse("its query cannot be read: %w", err)
	}
	ref := query.Get("ref")
	if ref == "" {
		ref = query.Get("version")
	}
	marked := strings.Contains(u.Path, "//") || strings.Contains(u.Path, ".git") || strings.Contains(u.Path, azureMark) || ref != ""
	if !folder && !git && !marked && (fileEnding.MatchString(u.Path) || u.Host != github) {
		return address{url: u.String()}, nil
	}
	repo, dir, ok := splitPath(strings.TrimPrefix(u.Path, "/"))
	if !ok || climbs(repo) || climbs(dir) || strings.HasPrefix(ref, "-") {
		return address{}, step.Refuse("it names no folder of a repository; write https://HOST/OWNER/REPOSITORY//FOLDER?ref=TAG")
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/" + strings.TrimSuffix(repo, "/")}
	return address{url: at.String(), dir: path.Clean("./" + dir), ref: ref, git: true}, nil
}

// parseURL reads the address as a URL; git: it is marked as one of git's.
func parseURL(text string) (u *url.URL, git bool, err error) {
	text = strings.TrimSpace(text)
	for strings.HasPrefix(strings.ToLower(text), "git::") {
		text, git = text[len("git::"):], true
	}
	switch m := scheme.FindStringSubmatch(text); {
	case m != nil && !strings.EqualFold(m[1], "https") && !strings.EqualFold(m[1], "http"):
		return nil, false, step.Refuse("%s is not spoken here; write an address that begins with https://", strings.ToLower(m[1]))
	case m == nil && scp.MatchString(text):
		return nil, false, step.Refuse("ssh is not spoken here; write an address that begins with https://")
	case m == nil:
		rest := strings.TrimLeft(text[min(len(text), len(github)):], ":/")
		if !strings.EqualFold(text[:min(len(text), len(github))], github) {
			return nil, false, step.Refuse("it is no address; write one that begins with https://")
		}
		text, git = "https://"+github+"/"+rest, true
	}
	if u, err = url.Parse(text); err != nil || u.Hostname() == "" {
		return nil, false, step.Refuse("it is no address; write one that begins with https://") // its text may hold a password
	}
	if u.User != nil {
		return nil, false, step.Refuse("it holds a user or a password, which have no place in a repository; only what anybody may read can be named")
	}
	u.Scheme, u.Host, u.Fragment, u.RawFragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), "", ""
	return u, git, nil
}

// splitPath tells a repository from the folder in it: by Azure's mark, by //, by
// .git, else the repository is the first two parts.
func splitPath(p string) (repo, dir string, ok bool) {
	if i := strings.Index(p, azureMark); i >= 0 {
		name, dir, _ := strings.Cut(p[i+len(azureMark):], "/")
		return p[:i] + azureMark + name, dir, name != ""
	}
	if repo, dir, found := strings.Cut(p, "//"); found {
		return repo, strings.TrimLeft(dir, "/"), repo != ""
	}
	if i := strings.Index(p, ".git"); i > 0 {
		return p[:i+len(".git")], strings.TrimPrefix(p[i+len(".git"):], "/"), true
	}
	parts := strings.SplitN(p, "/", 3)
	if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
		return "", "", false
	}
	return parts[0] + "/" + parts[1], strings.Join(parts[2:], "/"), true
}

// climbs reports whether a path leads upwards somewhere.
func climbs(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// shown is how people are told of an address: without what a query may hold.
func shown(text string) string {
	bare, _, _ := strings.Cut(strings.TrimSpace(text), "?")
	if at := strings.LastIndexByte(bare, '@'); at >= 0 && scheme.MatchString(bare) {
		bare = scheme.FindString(bare) + bare[at+1:]
	}
	return bare
}
