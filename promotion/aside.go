package promotion

import (
	"cmp"
	"slices"
)

// ChecksOf are the names of the check runs of all stages that write to a branch,
// sorted. A rule of the branch may require them.
func (s *State) ChecksOf(branch string) []string {
	var names []string
	for _, p := range s.Local.Config {
		for i := range p.Stages {
			if branch != "" && cmp.Or(p.Stages[i].Branch, s.Repo.DefaultBranch) == branch {
				names = append(names, CheckName(p.Name, p.Stages[i].Name))
			}
		}
	}
	slices.Sort(names)
	return names
}

// standAside lets a pull request, or its place in the merge queue, pass the checks
// that a rule of its branch may require: nothing else would ever report them there.
// own is the check of the promotion whose pull request it is; "": it is no
// promotion's.
func (c *core) standAside(number int, sha, base, own string) {
	others := slices.DeleteFunc(c.state.ChecksOf(base), func(name string) bool { return name == own })
	if sha == "" || len(others) == 0 {
		return
	}
	c.effect(Effect{
		ID: sentence("neutral/%d/%s", number, sha), Kind: KindNeutral, Number: number, SHA: sha, Branch: base, Text: own,
	})
}
