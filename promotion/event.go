package promotion

import "time"

// Repo names a repository. The ID is the key; owner and name follow renames.
type Repo struct {
	ID            int64  `json:"id"`
	Owner         string `json:"owner"`
	Name          string `json:"name"`
	DefaultBranch string `json:"defaultBranch,omitempty"`
	Installation  int64  `json:"installation"`       // whose credentials reach it
	Idle          string `json:"idle,omitempty"`     // why nothing runs here: "archived", "fork"; empty: it runs
	NoIssues      bool   `json:"noIssues,omitempty"` // Issues are switched off
	Private       bool   `json:"private,omitempty"`
}

// FullName is "owner/name".
func (r Repo) FullName() string { return r.Owner + "/" + r.Name }

// Event is what a delivery says, in domain words, about one repository.
type Event struct {
	Repo  Repo      // as the payload names it; fields that it leaves out are zero
	Cause string    // the delivery's GUID: one cause has one outcome, however often it arrives
	At    time.Time // when GitHub says it happened; zero: unknown
	Body  EventBody
}

// EventBody is one of the types below.
type EventBody interface{ event() }

// Pushed says that a branch moved. Tags give no event.
type Pushed struct {
	Branch  string
	Before  string // 40 zeros: the branch was made; empty: not told
	After   string // 40 zeros: the branch was deleted
	Forced  bool
	Pusher  string // login
	Commits []PushedCommit
	// Complete means that Commits holds every commit of the push, so that it may
	// be decided without a look at git what the push touched.
	Complete bool
}

// Follows reports whether the push continues a branch that was last heard of at
// tip; "": never. If not, it is late, or another one was lost: what the branch
// holds has to be asked for.
func (p Pushed) Follows(tip string) bool {
	return tip == "" || p.Before == "" || p.Before == tip || p.After == tip
}

// PushedCommit is one commit of a push.
type PushedCommit struct {
	SHA     string
	Message string
	Author  string   // login, if GitHub knows one
	Paths   []string // added, modified and removed
}

// Moved says that something that sources may follow has changed. It is a hint
// where to look, whoever sent it; what is there is read.
type Moved struct {
	Watch  string // see Source.Watch; empty: Source says which
	Branch string // of WatchGit: the one that moved; empty: any
	// Default says that Branch is the repository's default branch.
	Default bool
	Source  string // by name, in whatever pipeline; empty: all
	// Change is what a push says of the branch that moved; nil: not told.
	Change *Movement `json:",omitempty"`
}

// Movement is how a branch of another repository moved.
type Movement struct {
	Before, After string
	// Paths are the files that people's commits changed, if Whole; promotions' do not count.
	Paths []string
	Whole bool
}

// PullRequestChanged says that a pull request was opened, closed, merged or
// got another head.
type PullRequestChanged struct {
	Number     int
	Action     string // GitHub's own: opened, synchronize, reopened, closed, dequeued, auto_merge_enabled, auto_merge_disabled
	Reason     string // in GitHub's words: of dequeued why the merge queue let it go, of auto_merge_disabled why it is off
	HeadBranch string
	HeadSHA    string
	Base       string // the branch that it goes to
	SameRepo   bool   // the head is in this repository, not in a fork
	Merged     bool
	MergedAs   string // the commit on the base branch, when Merged
	By         string // login of who did it
	Own        bool   // the app itself did it
}

// Commented says that somebody wrote a comment that holds commands.
type Commented struct {
	Comment     int64
	Number      int // of the issue or pull request
	PullRequest bool
	By          string // login
	ByID        int64
	Commands    []Command
}

// Command is one line of a comment.
type Command struct {
	Line int      // from 1, as the person wrote it
	Name string   // "promote", without the slash
	Args []string // words, quotes taken off
	Near string   // set when Name is no command but one edit away from this one
}

// Pressed says that somebody pressed a button of one of our check runs.
type Pressed struct {
	Check     int64
	Promotion string // the check run's external_id
	Action    string // the button's identifier: promote, approve, retry, abort
	SHA       string // the commit that the check run stands on; "": not told
	Writer    string // the store out of which the check run was drawn that was looked at; "": not told
	By        string
	ByID      int64
}

// CheckChanged says that a check run of another app, or a commit status, began
// or ended. Our own check runs are none.
type CheckChanged struct {
	SHA        string    `json:"sha"`
	Name       string    `json:"name"`            // of the check run; of a status its context
	App        int64     `json:"app,omitempty"`   // who made the check run; 0: it is a commit status
	ID         int64     `json:"id"`              // of the check run or status: of one name and app the highest is the newest
	Conclusion string    `json:"conclusion"`      // GitHub's; a status gives success, failure, error; "": not finished
	At         time.Time `json:"at,omitzero"`     // when it finished, else began
	URL        string    `json:"url,omitempty"`   // its page, for people
	Title      string    `json:"title,omitempty"` // what it says in one line
}

// Reviewed says that somebody reviewed a pull request, or that a review was dismissed.
type Reviewed struct {
	Number     int
	Review     int64
	State      string // approved, changes_requested, commented, dismissed
	SHA        string // the commit that was looked at
	HeadBranch string
	SameRepo   bool
	By         string // login of the reviewer, also when somebody else dismissed it
	ByID       int64
	ByBot      bool
}

// TakenUp says that the app was installed on the repository, or that it should
// be looked at afresh: is there a pipeline?
type TakenUp struct{}

// LetGo says that the app no longer reaches the repository.
type LetGo struct{ Reason string }

// Unblocked says that what was refused for lack of a permission, or because of
// a suspension, may be tried again.
type Unblocked struct{}

// Renamed says that the repository has another owner, name, default branch, or
// was archived or brought back: Event.Repo holds what is true now.
type Renamed struct{}

// LedgerTouched says that somebody edited, closed, reopened, or deleted an issue.
type LedgerTouched struct {
	Number int
	Action string
	By     string
	Box    bool   // boxes were ticked with it: that is what they are for
	Writer string // of the record that the app itself wrote there, see Local.Writer; empty: somebody else touched it
}

// Woke says that a timer came due.
type Woke struct{}

func (Pushed) event()             {}
func (Moved) event()              {}
func (PullRequestChanged) event() {}
func (Commented) event()          {}
func (Pressed) event()            {}
func (CheckChanged) event()       {}
func (Reviewed) event()           {}
func (TakenUp) event()            {}
func (LetGo) event()              {}
func (Unblocked) event()          {}
func (Renamed) event()            {}
func (LedgerTouched) event()      {}
func (Woke) event()               {}
