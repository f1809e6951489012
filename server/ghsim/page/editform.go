package page

import (
	"fmt"
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

// numbered is the address of an issue or pull request.
func (v *visit) numbered(kind string, number int) string {
	return fmt.Sprintf("%s/%d", v.at(kind), number)
}
