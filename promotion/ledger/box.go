package ledger

import (
	"regexp"
	"strings"
)

// boxName is a name that can stand in a box: a pipeline's or a stage's, without
// what would end an HTML comment in some readers.
var boxName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// Box is a box that a person can tick instead of writing a command: name, of a
// stage. handlers reads it; what it says to people does not matter to it. Empty
// for names that have no box.
func Box(name, pipeline, stage string) string {
	for _, part := range []string{pipeline, stage} {
		if !boxName.MatchString(part) || strings.Contains(part, "--") {
			return ""
		}
	}
	return "- [ ] <!-- " + name + ":" + pipeline + "/" + stage + " --> " + name
}

// box is Box as the last line of a list item. Only in an issue can one be ticked.
func (v *view) box(name, pipeline, stage string) string {
	drawn := Box(name, pipeline, stage)
	if drawn == "" || v.s.Repo.NoIssues {
		return ""
	}
	return "\n  " + drawn
}
