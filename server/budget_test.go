package server_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

var update = flag.Bool("update", false, "write the table of docs/api-budget.md")

const (
	budgetPage  = "../docs/api-budget.md"
	budgetBegin = "<!-- begin: requests of one promotion -->\n"
	budgetEnd   = "<!-- end: requests of one promotion -->"
)

func auditTable(all map[servertest.Audited]int) string {
	var b strings.Builder
	b.WriteString("| request | times | charge |\n| --- | --- | --- |\n")
	for _, l := range servertest.AuditLines(all) {
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", l.Route, all[l], l.Charge)
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
	seen := servertest.Audit(requests)
	t.Logf("requests of one promotion:\n%s", auditTable(seen))
	if *update {
		if err := os.WriteFile(budgetPage, []byte(before+budgetBegin+auditTable(seen)+budgetEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	told := map[servertest.Audited]int{}
	for _, m := range auditLine.FindAllStringSubmatch(table, -1) {
		told[servertest.Audited{Route: m[1], Charge: m[3]}], _ = strconv.Atoi(m[2])
	}
	for l, n := range seen {
		if n > told[l] {
			t.Errorf("%s (%s): %d times, and %s says %d; if that is meant, run the test with -update", l.Route, l.Charge, n, budgetPage, told[l])
		}
	}
}
