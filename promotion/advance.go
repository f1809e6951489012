package promotion

import (
	"fmt"
	"time"
)

// How much the state remembers. What is older can be looked up on GitHub.
const (
	freightMemory = 20                 // pieces of freight of a pipeline, unless more are in use
	freightSpare  = 10                 // the newest pieces that are not in use, however many are
	endedMemory   = 10                 // ended promotions of a pipeline
	commentMemory = 200                // answered comments of a repository
	commentAge    = 8 * 24 * time.Hour // as long as the event log remembers a delivery
)

// Decision is what Advance decides.
type Decision struct {
	State *State
	// Effects are all that may run now, those under way included: the caller
	// knows which it runs already, by ID. Late ones wait for the ledger.
	Effects []Effect
	// Wake is when the state wants to be looked at again without an event; zero: never.
	Wake time.Time
}

// clock is the time of one run.
type clock struct{ now time.Time }

// Advance takes the inputs in order and decides what follows. It is pure: s is
// not changed, and the same arguments give the same decision. An input that the
// state already holds, or that concerns nothing, changes nothing.
func Advance(s *State, inputs []Input, now time.Time) Decision {
	c := newCore(s, clock{now.UTC().Truncate(time.Millisecond)})
	for _, in := range inputs {
		c.take(in)
	}
	c.awaken()
	c.outlast()
	return c.decide()
}

// Settle is Advance without inputs that looks at everything, as if all of it had
// just changed. What Advance leaves alone is what nothing came to, so Settle finds
// nothing to do after it: tests hold Advance to that.
func Settle(s *State, now time.Time) Decision {
	c := newCore(s, clock{now.UTC().Truncate(time.Millisecond)})
	c.reshaped = true
	c.touchAll()
	return c.decide()
}

func (c *core) decide() Decision {
	c.settleAll()
	c.keepPlaces()
	return Decision{State: c.state, Effects: c.due(), Wake: c.wake()}
}

func (c *core) take(in Input) {
	switch in := in.(type) {
	case Event:
		c.takeEvent(in)
	case Result:
		c.takeResult(in)
	case ConfigRead:
		c.takeConfig(in)
	case Rebuilt:
		c.takeRebuilt()
	}
}

func (c *core) takeEvent(e Event) {
	c.knowRepo(e.Repo)
	switch body := e.Body.(type) {
	case Pushed:
		c.takePush(body, e.At)
	case Moved:
		c.takeMoved(body)
	case Grouped:
		c.takeGroup(body)
	case PullRequestChanged:
		c.takePullRequest(body, c.when(e.At))
	case Commented:
		c.takeComment(body, e.At)
	case Pressed:
		c.takePressed(body, e)
	case LetGo:
		c.state.Repo.Idle = body.Reason
	case TakenUp, Unblocked, Renamed:
		c.state.Repo.Idle = e.Repo.Idle // the app reaches it again, unless the event says otherwise
		c.unblock()
		if _, told := body.(Unblocked); !told {
			c.lookAtAll() // what was pushed meanwhile was not told, or another branch counts now
		}
	case LedgerTouched:
		c.takeLedger(body, c.when(e.At))
	case Ticked:
		c.takeTicked(body, e)
	case CheckChanged:
		c.takeCheck(body)
	case Reviewed:
		c.takeReview(body, e)
	case Woke: // what is due is found by its time, see awaken
	}
}

// knowRepo keeps the repository's facts fresh. Payloads of installation events
// leave fields out, so an empty one never replaces a known one.
func (c *core) knowRepo(r Repo) {
	known := &c.state.Repo
	if r.ID == 0 || known.ID != 0 && known.ID != r.ID {
		return
	}
	known.ID = r.ID
	before := *known
	set(&known.Owner, r.Owner)
	set(&known.Name, r.Name)
	set(&known.DefaultBranch, r.DefaultBranch)
	if r.Installation != 0 {
		known.Installation = r.Installation
	}
	if *known != before {
		c.touchAll() // it may have another default branch now
		c.state.Local.Followers = nil
	}
	if r.DefaultBranch != "" { // a full description of the repository
		known.Idle, known.NoIssues, known.Private = r.Idle, r.NoIssues, r.Private
	}
}

func set(to *string, value string) {
	if value != "" {
		*to = value
	}
}

// unblock lets everything that waits for a permission or an event try again.
func (c *core) unblock() {
	for id, e := range c.state.Local.Pending {
		if e.Blocked != "" {
			again := *e
			again.Blocked, again.NotBefore = "", time.Time{}
			c.state.Local.Pending[id] = &again
		}
	}
	c.dropProblems("blocked/")
	c.rejudge()
	c.touchAll()
}

// due lists the pending effects whose time has come, in order of ID.
func (c *core) due() []Effect {
	if c.state.Repo.Idle != "" || c.state.Local.Rival != nil {
		return nil
	}
	out := make([]Effect, 0, len(c.state.Local.Pending))
	for _, id := range sortedKeys(c.state.Local.Pending) {
		e := c.state.Local.Pending[id]
		if e.Blocked == "" && !e.NotBefore.After(c.now) {
			out = append(out, *e)
		}
	}
	return out
}

// wake is the earliest time that something waits for.
func (c *core) wake() time.Time {
	if rival := c.state.Local.Rival; rival != nil {
		return rival.At.Add(rivalQuiet)
	}
	var at time.Time
	for _, e := range c.state.Local.Pending {
		if e.Blocked != "" || !e.NotBefore.After(c.now) {
			continue
		}
		if at.IsZero() || e.NotBefore.Before(at) {
			at = e.NotBefore
		}
	}
	for _, t := range c.state.Local.Wakes {
		if at.IsZero() || t.Before(at) {
			at = t
		}
	}
	if f := c.state.Freeze; f != nil && !f.Until.IsZero() && (at.IsZero() || f.Until.Before(at)) {
		at = f.Until
	}
	return at
}

// effect records the intent of an effect, unless it is recorded already.
func (c *core) effect(e Effect) {
	if _, ok := c.state.Local.Pending[e.ID]; ok {
		return
	}
	if e.SentAt.IsZero() {
		e.SentAt = c.now
	}
	c.state.Local.Pending[e.ID] = &e
}

func (c *core) pendingKind(k Kind) bool {
	for _, e := range c.state.Local.Pending {
		if e.Kind == k {
			return true
		}
	}
	return false
}

// problem says something that a person should know; one of the same key is replaced.
func (c *core) problem(p Problem) {
	p.At = c.now
	for i, known := range c.state.Problems {
		if known.Key == p.Key {
			if known.Text != p.Text {
				c.state.Problems[i] = p
			}
			return
		}
	}
	c.state.Problems = append(c.state.Problems, p)
}

func (c *core) dropProblems(prefix string) {
	kept := c.state.Problems[:0:0]
	for _, p := range c.state.Problems {
		if len(p.Key) < len(prefix) || p.Key[:len(prefix)] != prefix {
			kept = append(kept, p)
		}
	}
	c.state.Problems = kept
}

func sentence(format string, args ...any) string { return fmt.Sprintf(format, args...) }
