package page

import (
	"html/template"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/ghsim/page/markdown"
)

const recentCommits = 8

type treePage struct {
	place
	Branches []string
	Entries  []ghsim.TreeEntry
	Recent   []commitLine
	Readme   template.HTML
	Empty    bool // the repository has no commit yet
}

// tree shows a directory; the root also with its last commits and its README.
func (v *visit) tree() error {
	if len(v.sim.Branches(v.repo)) == 0 {
		return v.show("tree", v.repo.FullName(), "code", treePage{place: place{Repo: v.repo}, Empty: true})
	}
	at, err := v.place(v.r.PathValue("rest"))
	if err != nil {
		return err
	}
	entries, err := v.sim.Tree(v.repo, at.SHA, at.Path)
	if err != nil {
		return missing("%s has no directory %s.", at.Ref, at.Path)
	}
	slices.SortStableFunc(entries, func(a, b ghsim.TreeEntry) int { return rank(a) - rank(b) })
	page := treePage{place: at, Branches: v.branchNames(), Entries: entries, Readme: v.readme(at, entries)}
	if page.Recent, err = v.commitLines(at.SHA, at.Path, 0, recentCommits); err != nil {
		return err
	}
	return v.show("tree", title(at), "code", page)
}

func title(at place) string {
	if at.Path == "" {
		return at.Repo.FullName()
	}
	return at.Path + " · " + at.Repo.FullName()
}

// rank puts directories first, as GitHub does.
func rank(e ghsim.TreeEntry) int {
	if e.Kind == "tree" {
		return 0
	}
	return 1
}

func (v *visit) readme(at place, entries []ghsim.TreeEntry) template.HTML {
	for _, e := range entries {
		if !strings.EqualFold(e.Name, "README.md") {
			continue
		}
		text, err := v.sim.File(v.repo, at.SHA, strings.TrimPrefix(at.Path+"/"+e.Name, "/"))
		if err != nil {
			return ""
		}
		context := v.context()
		context.Base = address(at.Repo, "blob", at.Ref, at.Path) + "/"
		return markdown.File(text, context)
	}
	return ""
}

// branchNames lists the default branch first, then the others by name.
func (v *visit) branchNames() []string {
	names := []string{}
	for name := range v.sim.Branches(v.repo) {
		if name != v.repo.DefaultBranch {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return append([]string{v.repo.DefaultBranch}, names...)
}

func (v *visit) branches() error {
	return v.show("branches", "Branches · "+v.repo.FullName(), "code", v.branchNames())
}
