package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
)

// optional are permissions without which something is left out, and nothing waits.
var optional = map[string]string{
	"deployments": "stages with an environment get no Deployments",
	"packages":    "images are found when they are looked for, not when they are pushed",
}

// neededPermissions are those of app.yml.
func neededPermissions() map[string]string { return ghapi.Permissions() }

// neededEvents are those of app.yml: these about installations come unasked.
func neededEvents() []string {
	return slices.DeleteFunc(handlers.Events(), func(e string) bool { return strings.HasPrefix(e, "installation") })
}

// missing lists the permissions that granted lacks, those that must be and those
// that may be there, as "NAME: LEVEL".
func missing(needed, granted map[string]string) (must, may []string) {
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		has, level := granted[name], needed[name]
		switch _, leaveOut := optional[name]; {
		case has == level || has == "write" || has == "admin":
		case leaveOut:
			may = append(may, fmt.Sprintf("%s: %s (without it %s)", name, level, optional[name]))
		default:
			must = append(must, name+": "+level)
		}
	}
	return must, may
}

// missingEvents lists the events that an App is not subscribed to.
func missingEvents(needed, subscribed []string) []string {
	return slices.DeleteFunc(slices.Clone(needed), func(e string) bool { return slices.Contains(subscribed, e) })
}

// permissionsCheck is a check of permissions, about whom, with a remedy for both kinds.
func permissionsCheck(name, about, remedy string, needed, granted map[string]string) Check {
	must, may := missing(needed, granted)
	switch {
	case len(must) > 0:
		return Check{name, about, Problem, "it lacks " + strings.Join(append(must, may...), ", "), remedy}
	case len(may) > 0:
		return Check{name, about, Warning, "it lacks " + strings.Join(may, ", "), remedy}
	}
	return Check{Name: name, About: about, Status: OK, Message: fmt.Sprintf("all %d permissions are there", len(needed))}
}
