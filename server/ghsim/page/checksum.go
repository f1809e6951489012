package page

import "fmt"

// checkSum says in one mark how all checks of a commit stand. The zero value is a commit without any.
type checkSum struct {
	Mark          string
	Total, Passed int
}

// order of marks: the first that occurs is that of the whole.
var order = []string{"bad", "act", "busy", "good", "off"}

func sumUp(checks []check) checkSum {
	sum, seen := checkSum{Total: len(checks)}, map[string]bool{}
	for _, c := range checks {
		seen[c.Mark] = true
		if c.Mark == "good" || c.Conclusion == "neutral" || c.Conclusion == "skipped" {
			sum.Passed++
		}
	}
	for _, mark := range order {
		if seen[mark] {
			sum.Mark = mark
			break
		}
	}
	return sum
}

// Words are what the mark says to those who do not see it.
func (s checkSum) Words() string {
	return fmt.Sprintf("%d of %s passed", s.Passed, count(s.Total, "check", "checks"))
}

// checkSums are those of all commits that have checks.
func (v *visit) checkSums() map[string]checkSum {
	byCommit := v.statuses()
	for _, run := range newest(v.sim.CheckRuns(v.repo)) {
		m := marks[run.Status]
		if run.Conclusion != "" {
			m = marks[run.Conclusion]
		}
		byCommit[run.HeadSHA] = append(byCommit[run.HeadSHA], check{CheckRun: run, Mark: m[0]})
	}
	sums := map[string]checkSum{}
	for sha, checks := range byCommit {
		sums[sha] = sumUp(checks)
	}
	return sums
}
