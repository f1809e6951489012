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

// standAside lets a pull request that is no promotion's pass the checks that a
// rule of its branch may require: nothing else would ever report them there.
func (c *core) standAside(e PullRequestChanged) {
	if e.HeadSHA == "" || len(c.state.ChecksOf(e.Base)) == 0 {
		return
	}
	c.effect(Effect{
		ID: sentence("neutral/%d/%s", e.Number, e.HeadSHA), Kind: KindNeutral, Number: e.Number, SHA: e.HeadSHA, Branch: e.Base,
	})
}
