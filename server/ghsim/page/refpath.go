package page

import (
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// place is a branch, tag or commit, and a path in it.
type place struct {
	Repo ghsim.Repo
	Ref  string // as in the address
	SHA  string
	Path string // "" is the root
	// Branch says that Ref is a branch, so that one can commit to it.
	Branch bool
}

// place reads REF/PATH of the address, "" being the default branch. A branch name may hold slashes; the longest one that
// exists counts.
func (v *visit) place(rest string) (place, error) {
	rest = strings.Trim(rest, "/")
	branches := v.sim.Branches(v.repo)
	if rest == "" {
		rest = v.repo.DefaultBranch
	}
	for at := len(rest); at > 0; at = strings.LastIndexByte(rest[:at], '/') {
		if sha := branches[rest[:at]]; sha != "" {
			return place{Repo: v.repo, Ref: rest[:at], SHA: sha, Path: strings.Trim(rest[at:], "/"), Branch: true}, nil
		}
	}
	ref, path, _ := strings.Cut(rest, "/")
	sha, found := v.sim.Resolve(v.repo, ref)
	if !found {
		return place{}, missing("%s has no branch, tag or commit %s.", v.repo.FullName(), ref)
	}
	return place{Repo: v.repo, Ref: ref, SHA: sha, Path: path}, nil
}

// crumb is one part of a path, with the address of the directory that it ends.
type crumb struct{ Name, Address string }

func (p place) Crumbs() []crumb {
	out := []crumb{{p.Repo.Name, address(p.Repo, "tree", p.Ref)}}
	if p.Path == "" {
		return out
	}
	parts := strings.Split(p.Path, "/")
	for i, name := range parts {
		out = append(out, crumb{name, address(p.Repo, "tree", p.Ref, strings.Join(parts[:i+1], "/"))})
	}
	return out
}

// Link is the address of the same place in another view of it: tree, blob, commits, edit, raw.
func (p place) Link(kind string) string { return address(p.Repo, kind, p.Ref, p.Path) }

// Under is the address of a name in the directory.
func (p place) Under(kind, name string) string { return address(p.Repo, kind, p.Ref, p.Path, name) }

// branchMenu is the choice of a branch over files and commits; Kind is the view that stays.
type branchMenu struct {
	Place    place
	Branches []string
	Kind     string
}

func (p treePage) Menu(kind string) branchMenu    { return branchMenu{p.place, p.Branches, kind} }
func (p blobPage) Menu(kind string) branchMenu    { return branchMenu{p.place, p.Branches, kind} }
func (p commitsPage) Menu(kind string) branchMenu { return branchMenu{p.place, p.Branches, kind} }
