package promotion

// touchedProblem is the key of the problem that somebody touched the tracking issue.
const touchedProblem = "ledger/touched"

// sayTouched says what somebody did to the tracking issue, and what came of it: its
// text decides nothing, and is mended. It stands there until the next landing.
func (c *core) sayTouched(e LedgerTouched) {
	what := map[string]string{
		"edited":      "edited this issue, and it was written anew. What is promoted is decided by commands, not by this text",
		"closed":      "closed this issue, and it was opened again: it shows where promotions stand",
		"deleted":     "deleted the tracking issue, and this one was made in its place",
		"transferred": "moved the tracking issue to another repository, and this one was made in its place",
		"unlabeled":   "took a label off this issue, and it was given again: the issue is found by it",
	}[e.Action]
	if what == "" || e.Box || e.By == "" {
		return
	}
	c.problem(Problem{Key: touchedProblem, Text: plain(e.By) + " " + what + "."})
}
