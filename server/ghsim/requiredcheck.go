package ghsim

import (
	"fmt"
	"slices"
)

// The states of a required check. Expected is what nobody has reported yet.
const (
	checkExpected = "expected"
	checkPending  = "pending"
	checkFailing  = "failing"
	checkPassed   = "passed"
)

// stateOf is how a required check stands on a commit: the worse of its newest check run and its newest status.
func (r *repository) stateOf(check RequiredCheck, sha string) string {
	var states []string
	if run := r.newestRun(check, sha); run != nil {
		states = append(states, run.required())
	}
	for _, status := range r.newestStatuses(sha) {
		if status.Context == check.Name && (check.App == 0 || check.App == status.App) {
			states = append(states, map[string]string{"success": checkPassed, "pending": checkPending}[status.State])
		}
	}
	switch {
	case len(states) == 0:
		return checkExpected
	case slices.Contains(states, checkFailing) || slices.Contains(states, ""):
		return checkFailing
	case slices.Contains(states, checkPending):
		return checkPending
	}
	return checkPassed
}

func (r *repository) newestRun(check RequiredCheck, sha string) *checkRun {
	var newest *checkRun
	for _, run := range r.runs {
		if run.suite.sha == sha && run.name == check.Name && (check.App == 0 || run.suite.app.id == check.App) && (newest == nil || run.id > newest.id) {
			newest = run
		}
	}
	return newest
}

// required is a check run as a required check: skipped and neutral count as passed.
func (run *checkRun) required() string {
	switch {
	case run.status != "completed":
		return checkPending
	case slices.Contains([]string{"success", "neutral", "skipped"}, run.conclusion):
		return checkPassed
	}
	return checkFailing
}

// missingChecks says in GitHub's words which required checks have not passed on a commit, "" for none.
func (r *repository) missingChecks(checks []RequiredCheck, sha string) string {
	count, missing, last := map[string]int{}, 0, RequiredCheck{}
	for _, check := range checks {
		if state := r.stateOf(check, sha); state != checkPassed {
			count[state]++
			missing, last = missing+1, check
		}
	}
	switch missing {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("Required status check %q is %s.", last.Name, r.stateOf(last, sha))
	}
	text := fmt.Sprintf("%d of %d required status checks have not succeeded:", missing, len(checks))
	for _, state := range []string{checkFailing, checkPending, checkExpected} {
		if count[state] > 0 {
			text += fmt.Sprintf(" %d %s,", count[state], state)
		}
	}
	return text[:len(text)-1] + "."
}
