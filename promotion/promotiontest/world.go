package promotiontest

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// ErrLost is the error of an effect whose answer got lost.
var ErrLost = errors.New("connection reset")

// World runs the core against a small model of GitHub. Whatever it does, the
// model keeps what a person would see, so that a test can look for doubles.
type World struct {
	State *promotion.State
	Now   time.Time
	// Fault decides what happens to an effect; nil: all goes well.
	Fault func(promotion.Effect) Fault
	// Refuse answers an effect with an error of GitHub's; nil: it refuses nothing.
	Refuse func(promotion.Effect) error
	// Hold keeps an effect from being run at all; nil: none is held.
	Hold func(promotion.Effect) bool
	// OnAdvance sees each decision of the core; nil: nobody looks.
	OnAdvance func(before, after *promotion.State)
	// Permission of everybody; "" is write.
	Permission string
	// Role is the name of everybody's role; "" is that of Permission.
	Role string
	// Teams are the members of each team, by login.
	Teams map[string][]string
	// TeamsUnread says why the members of teams cannot be read; "": they can.
	TeamsUnread string
	// Results are what others' checks say of commits, as a look at them finds it.
	Results map[string][]promotion.CheckChanged
	// MayMerge says whether GitHub lets the app merge; nil: it does.
	MayMerge func() bool
	// LeftToGitHub says whether GitHub merges by itself what it does not let the app merge
	// yet; nil: it never does.
	LeftToGitHub func(*promotion.Promotion) bool
	// Conflicts are the files in which a promotion's commit does not merge into its
	// base; nil: it merges.
	Conflicts func(*promotion.Promotion) []string
	// Moved are those of Conflicts that are not there any more, and where they are now.
	Moved map[string]string
	// Overwrites are the files in which its new edit would take away what people
	// wrote; nil: none.
	Overwrites func(*promotion.Promotion) []string
	// Mergeable is what GitHub says of a pull request that is read; nil: nothing yet.
	Mergeable func(*Pull) promotion.Mergeability
	// Gone are the files of a stage in which somebody changed by hand what landed; nil: none.
	Gone func(stage string) []string
	// ConfigChecked reports that a pull request changes pipeline files; nil: none does.
	ConfigChecked func(promotion.Effect) bool
	// Unchanged reports that there is nothing to commit; nil: there always is.
	Unchanged func(*promotion.Promotion) bool
	// Source says what a look at a source finds that no push tells of; nil: nothing.
	Source func(promotion.Effect) promotion.Result
	// StepResult overrides the result of an editing step.
	StepResult func(promotion.Effect) promotion.Result

	Tip       string              // of main, as a look at a source finds it; "": nobody pushed
	Commits   map[string]string   // branch → promotion whose commit is its tip
	Heads     map[string]string   // branch → that commit
	Landed    []string            // promotions whose commits are on main, in order
	Messages  map[string]string   // promotion → the message of its commit
	Heard     map[string][]string // "external id@sha" → what the check run says of presses
	Reviews   []promotion.Review  // of every pull request, as a look shows them
	Approved  map[string][]string // the same of approvals
	Made      []string            // commits that were pushed to promotions' branches at first
	Anew      []string            // commits of edits that were made anew and pushed, in order
	Pulls     []*Pull
	Checks    map[string]int // "external id@sha" → how many check runs
	Reactions map[string]int
	// Shown are what was written on each commit of a git source, one check run each, in order.
	Shown map[string][]CommitRun
	// Deployments are the states told of each promotion's Deployment, in order.
	Deployments map[string][]string
	Replies     []string
	// History are the promotions of each comment of the history.
	History []string
	// Plans are the plans that stand in a comment, by effect.
	Plans   map[string][]promotion.Preview
	Ran     map[string]int // step effect → how often it really ran
	Wake    time.Time
	Written int // ledger writes

	comments int64                    // made by Say
	landedAt map[string]time.Time     // those of Landed
	said     map[int64]promotion.Said // comments that the core was told of
}

// Pull is a pull request of the model.
type Pull struct {
	Number int
	Branch string
	Head   string
	State  string // open, merged, closed
	// Pushers are people who pushed to it.
	Pushers []string
}

// Fault says how an effect goes wrong.
type Fault int

// The faults.
const (
	Well       Fault = iota
	NotDone          // it was not done, and an error came back
	AnswerLost       // it was done, and an error came back
	Crash            // it was done, and the process died before the answer
	CrashFirst       // the process died before it was done
)

// NewWorld is a repository whose config holds the pipelines.
func NewWorld(pipelines ...*promotion.Pipeline) *World {
	w := &World{
		State: &promotion.State{Version: promotion.StateVersion, Repo: Repo, Issue: 1}, Now: Start,
		comments: 1_000_000,
		Commits:  map[string]string{}, Heads: map[string]string{}, Checks: map[string]int{}, Reactions: map[string]int{}, Ran: map[string]int{},
		Plans: map[string][]promotion.Preview{}, Messages: map[string]string{}, Heard: map[string][]string{},
		Approved: map[string][]string{}, said: map[int64]promotion.Said{}, landedAt: map[string]time.Time{},
	}
	w.Take(Config(pipelines...))
	return w
}

// Take gives the inputs to the core and runs what follows until nothing is left
// to do now.
func (w *World) Take(inputs ...promotion.Input) {
	w.remember(inputs)
	w.advance(inputs...)
	for range 10_000 {
		e, ok := w.next()
		if !ok {
			return
		}
		w.runOne(e)
	}
	panic("the effects never end")
}

func (w *World) advance(inputs ...promotion.Input) {
	d := promotion.Advance(w.State, inputs, w.Now)
	if skipped := Skipped(d, w.Now); skipped != "" {
		panic("the core skips " + skipped)
	}
	before := w.State
	w.State, w.Wake = d.State, d.Wake
	if w.OnAdvance != nil {
		w.OnAdvance(before, w.State)
	}
}

// next is the effect to run next; late ones come last, after the ledger is written.
func (w *World) next() (promotion.Effect, bool) {
	d := promotion.Advance(w.State, nil, w.Now)
	d.Effects = slices.DeleteFunc(d.Effects, func(e promotion.Effect) bool { return w.Hold != nil && w.Hold(e) })
	for _, now := range []func(promotion.Effect) bool{
		func(e promotion.Effect) bool { return !e.Late && !e.AtRest },
		func(e promotion.Effect) bool { return e.AtRest },
	} {
		if i := slices.IndexFunc(d.Effects, now); i >= 0 {
			return d.Effects[i], true
		}
	}
	if len(d.Effects) > 0 {
		w.Written++
		return d.Effects[0], true
	}
	return promotion.Effect{}, false
}

func (w *World) runOne(e promotion.Effect) {
	if e.Cancelled {
		w.advance(promotion.Result{Effect: e.ID, Err: promotion.ErrCancelled})
		return
	}
	if w.Refuse != nil {
		if err := w.Refuse(e); err != nil {
			w.advance(promotion.Result{Effect: e.ID, Err: err})
			return
		}
	}
	fault := Well
	if w.Fault != nil {
		fault = w.Fault(e)
	}
	switch fault {
	case NotDone:
		w.advance(promotion.Result{Effect: e.ID, Err: ErrLost})
	case AnswerLost:
		w.run(e)
		w.advance(promotion.Result{Effect: e.ID, Err: ErrLost})
	case Crash:
		w.run(e)
		w.Restart()
	case CrashFirst:
		w.Restart()
	default:
		r := w.run(e)
		r.Effect = e.ID
		w.advance(r)
	}
}

// Restart comes back with the saved state: through JSON, as from a store, with
// every effect that has no result under the suspicion that it was done.
func (w *World) Restart() {
	raw, err := json.Marshal(w.State)
	if err != nil {
		panic(err)
	}
	var s promotion.State
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err)
	}
	for _, e := range s.Local.Pending {
		e.Look = true
	}
	w.State = &s
}

// LoseStore comes back with an empty disk: the ledger is there, and what GitHub shows.
func (w *World) LoseStore(pipelines ...*promotion.Pipeline) {
	w.Restart()
	w.State.Local = promotion.Local{}
	w.Take(Config(pipelines...), promotion.Rebuilt{})
}

// Sleep lets time pass, waking the core when it wants to be.
func (w *World) Sleep(d time.Duration) {
	end := w.Now.Add(d)
	for !w.Wake.IsZero() && !w.Wake.After(end) {
		w.Now = w.Wake
		w.Take(promotion.Event{Repo: Repo, Body: promotion.Woke{}})
	}
	w.Now = end
	w.Take()
}
