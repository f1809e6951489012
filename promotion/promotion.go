package promotion

import (
	"encoding/json"
	"time"
)

// Phase says where a promotion stands. Each comment says who moves it on and
// what a crash leaves; doc.go has the drawing.
type Phase string

// The phases.
const (
	PhaseQueued     Phase = "queued"     // its turn moves it. After a crash it is found here
	PhaseRunning    Phase = "running"    // the result of the step under way moves it. After a crash that step is looked for, and adopted or run
	PhaseWaiting    Phase = "waiting"    // an outside event or a timer moves it. After a crash it is found here and costs nothing until then
	PhaseSucceeded  Phase = "succeeded"  // ended: the freight landed, or was there already
	PhaseFailed     Phase = "failed"     // ended: the answer was no
	PhaseErrored    Phase = "errored"    // ended: it could not be done
	PhaseAborted    Phase = "aborted"    // ended: by a person, or because its stage is gone
	PhaseSuperseded Phase = "superseded" // ended: newer freight took its place
	PhaseRejected   Phase = "rejected"   // ended: a person said no at a gate
)

// Terminal reports whether a promotion in this phase has ended.
func (p Phase) Terminal() bool {
	switch p {
	case PhaseQueued, PhaseRunning, PhaseWaiting:
		return false
	}
	return true
}

// Started reports whether a promotion in this phase holds its stage.
func (p Phase) Started() bool { return p == PhaseRunning || p == PhaseWaiting }

// Priorities, the higher the sooner.
const (
	PriorityNormal   = 0
	PriorityNow      = 1 // /promote --now
	PriorityRollback = 2
)

// Promotion is one attempt to bring one piece of freight to one stage.
type Promotion struct {
	Name        string    `json:"name"`
	Pipeline    string    `json:"pipeline"`
	Stage       string    `json:"stage"`
	Freight     string    `json:"freight"` // ID
	Phase       Phase     `json:"phase"`
	Message     string    `json:"message,omitempty"` // one sentence: why it stands where it stands
	Priority    int       `json:"priority,omitempty"`
	Automatic   bool      `json:"automatic,omitempty"`
	RequestedBy string    `json:"requestedBy,omitempty"` // login; automatic: the pusher's
	Reason      string    `json:"reason,omitempty"`
	Supersedes  []string  `json:"supersedes,omitempty"` // promotions whose place it took
	Cause       string    `json:"cause"`
	CreatedAt   time.Time `json:"createdAt"`
	StartedAt   time.Time `json:"startedAt,omitzero"`
	EndedAt     time.Time `json:"endedAt,omitzero"`

	Plan  *Plan       `json:"plan,omitempty"`  // of the config at its start; nil while queued
	Steps []StepState `json:"steps,omitempty"` // one for each of Plan.Steps
	// Mounts is the workspace: which commit stands where. The first is the
	// checkout that `deliver` acts on.
	Mounts      []Mount      `json:"mounts,omitempty"`
	Commit      string       `json:"commit,omitempty"` // made by the last git-commit; empty: nothing to change, or not yet
	Changes     []Change     `json:"changes,omitempty"`
	Pushed      string       `json:"pushed,omitempty"` // branch that the commit was pushed to
	PullRequest *PullRequest `json:"pullRequest,omitempty"`
	Former      []int        `json:"former,omitempty"` // pull requests of earlier attempts, closed: never taken for this one's
	Landed      string       `json:"landed,omitempty"` // commit on the target branch
	LandedAt    time.Time    `json:"landedAt,omitzero"`
	Empty       bool         `json:"empty,omitempty"`   // there was nothing to change
	Ending      *Ending      `json:"ending,omitempty"`  // it ends so when the step under way has answered
	Replays     int          `json:"replays,omitempty"` // how often its steps began anew because the branch moved
	Heard       []string     `json:"heard,omitempty"`   // presses of its buttons, the last one last; see noteHeard
	Look        bool         `json:"look,omitempty"`    // an earlier life may have left traces: each effect looks first
	// Gates are those of the config of now, as last judged: of a promotion that
	// has started, those of its merge or landing; of a queued one those of its start.
	Gates     []Gate     `json:"gates,omitempty"`
	Approvals []Approval `json:"approvals,omitempty"`
	Recalls   bool       `json:"recalls,omitempty"`   // an earlier life's check run on its head tells who approved it
	Dismissed []int64    `json:"dismissed,omitempty"` // reviews that were taken back
	// Past names the gates that were not open when a person merged all the same.
	Past []string `json:"past,omitempty"`
	// MergeTried: GitHub would not merge yet; an event must say that something changed.
	MergeTried bool `json:"mergeTried,omitempty"`
	// Raced: because its branch moved under each try. When that moves again it is tried again.
	Raced bool `json:"raced,omitempty"`
	// Auto: GitHub was told to merge its pull request by itself when its rules allow.
	Auto    bool      `json:"auto,omitempty"`
	AutoAt  time.Time `json:"autoAt,omitzero"`   // when GitHub last told of a change of that
	AutoOff *Mark     `json:"autoOff,omitempty"` // somebody switched that off by hand, so nothing merges it by itself; nil: nobody did
	Queued  bool      `json:"queued,omitempty"`  // its pull request is in GitHub's merge queue: nothing is tried until it leaves that
	// Redo is its edit that is made anew on the base of now; nil: it is not.
	Redo  *Redo  `json:"redo,omitempty"`
	Moved string `json:"moved,omitempty"` // its branch moved there before its pull request was open: they are compared then
	Redos int    `json:"redos,omitempty"` // how often that was done; a person's /retry begins to count anew
	Clash *Clash `json:"clash,omitempty"` // why nobody can merge its pull request before a person acts; nil: nothing is known
	// Verify is set from the landing until verification has ended.
	Verify *Verification `json:"verify,omitempty"`
	// Stirred: its pull request changed while a step was under way, whose answer
	// may be older than that.
	Stirred bool `json:"stirred,omitempty"`

	Checks     []CheckRun  `json:"checks,omitempty"`     // written so far
	Deployment *Deployment `json:"deployment,omitempty"` // nil: none is asked for, or it is left out
}

// Verification is what a landed promotion waits for.
type Verification struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`           // silence until then is a no
	Asked bool      `json:"asked,omitempty"` // when the time was over GitHub was asked once more
}

// Ending is how a promotion ends that was told to while a step was under way.
type Ending struct {
	Phase   Phase  `json:"phase"`
	Message string `json:"message"`
}

// Plan is what a promotion does: its stage as configured when it started.
type Plan struct {
	Steps       []Step                     `json:"steps"` // with those that `deliver` adds
	Deliver     Deliver                    `json:"deliver"`
	Branch      string                     `json:"branch"` // never empty
	PullRequest PullRequestOptions         `json:"pullRequest,omitzero"`
	Vars        map[string]json.RawMessage `json:"vars,omitempty"` // the pipeline's under the stage's
	Timeout     time.Duration              `json:"timeout,omitempty"`
}

// StepPhase says where a step stands.
type StepPhase string

// The phases of a step. The zero value means not yet.
const (
	StepPending   StepPhase = ""
	StepRunning   StepPhase = "running"
	StepWaiting   StepPhase = "waiting"
	StepSucceeded StepPhase = "succeeded"
	StepSkipped   StepPhase = "skipped" // its `if` said no
	StepFailed    StepPhase = "failed"  // the answer was no
	StepErrored   StepPhase = "errored" // it could not be done
)

// Finished reports whether the step never runs again.
func (s StepPhase) Finished() bool {
	return s == StepSucceeded || s == StepSkipped || s == StepFailed || s == StepErrored
}

// StepState is what came of one step. What it wrote is kept beside the state,
// see StepRecord.
type StepState struct {
	Phase   StepPhase                  `json:"phase,omitempty"`
	Message string                     `json:"message,omitempty"`
	Output  map[string]json.RawMessage `json:"output,omitempty"`
	Since   time.Time                  `json:"since,omitzero"` // when it began, for retry.timeout
}

// StepRecord is what a step wrote, recorded before the next one begins, so that
// it never runs again. The store keeps it; the ledger does not.
type StepRecord struct {
	Promotion string `json:"promotion"`
	Step      int    `json:"step"`
	Attempt   int    `json:"attempt"` // Promotion.Replays when it ran
	Result    Result `json:"result"`
}

// File is one file that a step wrote or deleted, relative to the workspace.
type File struct {
	Path    string `json:"path"`
	Mode    uint32 `json:"mode,omitempty"` // git's: 0100644, 0100755, 0120000; 0 when Deleted
	Content []byte `json:"content,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	// Blob stands in place of Content for a file that was copied without being
	// read: it is the object of the repository that holds the content, 40 hex
	// digits, and From a commit that this object is part of.
	Blob string `json:"blob,omitempty"`
	From string `json:"from,omitempty"`
}

// Mount is a commit that stands at a path of the workspace.
type Mount struct {
	Path   string `json:"path"`             // clean and relative; "." is the root
	Commit string `json:"commit"`           // 40 hex digits; empty: the branch does not exist yet
	Branch string `json:"branch,omitempty"` // set when the mount is the tip of a branch
	// RepoID is the repository of the commit where that is another one, which is read
	// and never written; 0: the pipeline's own. RepoName is its OWNER/NAME when it was
	// mounted.
	RepoID   int64  `json:"repoId,omitempty"`
	RepoName string `json:"repoName,omitempty"`
}

// Own reports whether the mount is of the pipeline's own repository.
func (m Mount) Own() bool { return m.RepoID == 0 }

// Change is one changed file, for people.
type Change struct {
	Path   string `json:"path"`
	Status string `json:"status"`           // added, modified, deleted
	Before string `json:"before,omitempty"` // the one line that changed; empty when there is more than one
	After  string `json:"after,omitempty"`
}

// PullRequest is a promotion's pull request.
type PullRequest struct {
	Number  int       `json:"number"`
	URL     string    `json:"url,omitempty"`
	Head    string    `json:"head"`              // commit
	State   string    `json:"state"`             // open, merged, closed
	HeadAt  time.Time `json:"headAt,omitzero"`   // when the head became what it is; zero: it is as we opened it
	Before  string    `json:"before,omitempty"`  // the head before that; a read that shows it soon after is an old one
	Pushers []string  `json:"pushers,omitempty"` // logins of people who pushed to it
	Stale   bool      `json:"stale,omitempty"`
	// Stale: an event said that it changed; it is read before it is relied on.
	MergedAs string `json:"mergedAs,omitempty"` // the commit that an event said; it counts alone where reading fails for good
}

// CheckRun is a check run that was written for a promotion.
type CheckRun struct {
	SHA    string `json:"sha"`
	ID     int64  `json:"id"`
	Digest string `json:"digest"`          // of what was written last: an unchanged one costs no write
	Green  bool   `json:"green,omitempty"` // it said yes
}
