package servertest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// Audited is one line of an audit: a route, and how GitHub charges for it.
type Audited struct{ Route, Charge string }

// Charge says how GitHub counts a request.
func Charge(r ghsim.Request) string {
	switch {
	case strings.Contains(r.Route, "/info/refs"), strings.Contains(r.Route, "/git-"):
		return "git, not counted"
	case r.Status == 304:
		return "304, not counted"
	case r.Counted:
		return "counted"
	}
	return "not counted"
}

// Audit counts requests by route and charge.
func Audit(requests []ghsim.Request) map[Audited]int {
	out := map[Audited]int{}
	for _, r := range requests {
		out[Audited{r.Route, Charge(r)}]++
	}
	return out
}

// AuditLines are the lines of an audit in the order in which they are shown: what is
// counted first, and then by method and path.
func AuditLines(all map[Audited]int) []Audited {
	return slices.SortedFunc(maps.Keys(all), func(x, y Audited) int {
		return cmp.Or(strings.Compare(x.Charge, y.Charge), strings.Compare(x.Route, y.Route))
	})
}

// forCommand reports whether a request answers a command, or asks whether it may be
// obeyed: the budget of a promotion counts those apart.
func forCommand(r ghsim.Request) bool {
	return strings.HasSuffix(r.Route, "/reactions") || strings.HasSuffix(r.Route, "/permission")
}

// OfCommand tells the requests for a command from those for what it asked for.
func OfCommand(all []ghsim.Request) (command, rest []ghsim.Request) {
	for _, r := range all {
		if forCommand(r) {
			command = append(command, r)
		} else {
			rest = append(rest, r)
		}
	}
	return command, rest
}
