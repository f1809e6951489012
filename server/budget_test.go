package server_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

var update = flag.Bool("update", false, "write the table of docs/api-budget.md")

const (
	budgetPage  = "../docs/api-budget.md"
	budgetBegin = "<!-- begin: requests of one promotion -->\n"
	budgetEnd   = "<!-- end: requests of one promotion -->"
)

// audited is one line of the audit: a route, and how GitHub charged for it.
type audited struct{ route, charge string }

// charge says how GitHub counts a request.
func charge(r ghsim.Request) string {
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

func audit(requests []ghsim.Request) map[audited]int {
	out := map[audited]int{}
	for _, r := range requests {
		out[audited{r.Route, charge(r)}]++
	}
	return out
}

func auditTable(all map[audited]int) string {
	var b strings.Builder
	b.WriteString("| request | times | charge |\n| --- | --- | --- |\n")
	lines := slices.SortedFunc(maps.Keys(all), func(x, y audited) int {
		return strings.Compare(x.charge+x.route, y.charge+y.route)
	})
	for _, l := range lines {
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", l.route, all[l], l.charge)
	}
	return b.String()
}

var auditLine = regexp.MustCompile("(?m)^\\| `(.+)` \\| (\\d+) \\| (.+) \\|$")

// holdsAudit fails when a promotion took a request that the page does not know, or
// one more often. With -update the page is written.
func holdsAudit(t *testing.T, requests []ghsim.Request) {
	t.Helper()
	raw, err := os.ReadFile(budgetPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), budgetBegin)
	table, after, ended := strings.Cut(rest, budgetEnd)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", budgetPage)
	}
	seen := audit(requests)
	t.Logf("requests of one promotion:\n%s", auditTable(seen))
	if *update {
		if err := os.WriteFile(budgetPage, []byte(before+budgetBegin+auditTable(seen)+budgetEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	told := map[audited]int{}
	for _, m := range auditLine.FindAllStringSubmatch(table, -1) {
		told[audited{m[1], m[3]}], _ = strconv.Atoi(m[2])
	}
	for l, n := range seen {
		if n > told[l] {
			t.Errorf("%s (%s): %d times, and %s says %d; if that is meant, run the test with -update", l.route, l.charge, n, budgetPage, told[l])
		}
	}
}
