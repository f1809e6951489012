package page

import (
	"fmt"
	"io/fs"
	"strings"
)

// lineEnds undoes what forms do to text: they send every line end as CR LF. A file that had those keeps them.
func lineEnds(typed, before string) string {
	typed = strings.ReplaceAll(typed, "\r\n", "\n")
	if strings.Contains(before, "\r\n") {
		return strings.ReplaceAll(typed, "\n", "\r\n")
	}
	return typed
}

// freeBranch is the name that is offered for a proposed change, as GitHub offers it.
func (v *visit) freeBranch() string {
	branches := v.sim.Branches(v.repo)
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-patch-%d", v.name(), n)
		if branches[name] == "" {
			return name
		}
	}
}

// objection is why the form cannot be saved; "" when it can.
func (v *visit) objection(p editPage, before string, stale bool) string {
	switch {
	case !fs.ValidPath(p.Name) || p.Name == "." || hasGitDir(p.Name) || strings.ContainsAny(p.Name, "\x00\r\n"):
		return "This is no path that a repository can hold: " + p.Name
	case p.New && v.exists(p):
		return p.Name + " exists already. Edit it instead."
	case stale:
		return p.Name + " changed since you began to edit. Look at what is there now; saving again replaces it by your text."
	case !p.New && p.Text == before:
		return "Nothing is changed yet."
	case p.Propose && v.sim.Branches(v.repo)[p.Branch] != "":
		return "A branch " + p.Branch + " exists already. Name another one."
	}
	return ""
}

func hasGitDir(name string) bool {
	for _, segment := range strings.Split(name, "/") {
		if strings.EqualFold(segment, ".git") {
			return true
		}
	}
	return false
}

func (v *visit) exists(p editPage) bool {
	_, err := v.sim.File(v.repo, p.SHA, p.Name)
	return err == nil
}
