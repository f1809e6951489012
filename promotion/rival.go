package promotion

import (
	"maps"
	"time"
)

// Rival is another server, with a store of its own, that writes the tracking issue
// too. The server whose store is younger stops while it hears of the other one.
type Rival struct {
	Writer string    `json:"writer"`
	At     time.Time `json:"at"` // when it was heard of last
}

const (
	// rivalQuiet is how long nothing must be heard of another server before this one
	// goes on.
	rivalQuiet = 15 * time.Minute
	// rivalLag is how long after the store was found empty a write may be told of
	// that an earlier life of this server made.
	rivalLag = time.Minute
)

// rivalProblem is the key of the problem that two servers write one issue. It goes,
// as others of the ledger, at the next landing.
const rivalProblem = "ledger/rival"

// takeLedger takes that somebody touched the tracking issue: it is looked at before
// it is written again. What the app itself wrote is only looked at for who wrote it.
func (c *core) takeLedger(e LedgerTouched, at time.Time) {
	local := &c.state.Local
	switch {
	case e.Number != c.state.Issue:
	case e.Writer == "":
		local.Suspect = true
		c.sayTouched(e)
	case local.Writer == "" || e.Writer == local.Writer:
	case e.Writer < local.Writer && at.Before(local.Rebuilt.Add(rivalLag)): // what an earlier life wrote
	case e.Writer < local.Writer: // names begin with when the store was made
		local.Rival = &Rival{Writer: e.Writer, At: c.now}
		c.sayRival("This one stops until nothing is heard of the other for " + Span(rivalQuiet))
	default:
		local.Suspect = true
		c.sayRival("The other one has the younger store and stops when it hears of this one")
	}
}

func (c *core) sayRival(what string) {
	c.problem(Problem{Key: rivalProblem, Text: "Two servers with separate stores work here, and both write this issue. " + what + ". Stop one of them, or give both the same store."})
}

// outlast goes on when nothing was heard of another server for long enough. What
// that one did meanwhile is looked for.
func (c *core) outlast() {
	local := &c.state.Local
	if local.Rival == nil || local.Rival.At.Add(rivalQuiet).After(c.now) {
		return
	}
	local.Rival, local.Suspect = nil, true
	c.dropProblems(rivalProblem)
	for id, e := range maps.All(local.Pending) {
		again := *e
		again.Look = true
		local.Pending[id] = &again
	}
	c.lookAtAll()
	c.touchAll()
}
