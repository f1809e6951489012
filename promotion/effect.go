package promotion

import (
	"encoding/json"
	"time"
)

// Kind is the kind of an effect; each has one runner.
type Kind string

// The kinds of effects. The comment names the fields of Effect that it uses and
// where its trace is found when an answer is missing.
const (
	KindStep         Kind = "step"          // Promotion, Step. Trace: by step, see docs/architecture.md
	KindCheck        Kind = "check"         // Promotion, Check. Trace: external_id on the commit
	KindConfigCheck  Kind = "config-check"  // Number, SHA (head of a pull request), Branch (base). Trace: external_id on the commit
	KindNeutral      Kind = "neutral"       // Number, SHA (head of a pull request, or of its place in the merge queue), Branch (base), Text (a check that is reported otherwise). Trace: external_id on the commit
	KindReact        Kind = "react"         // Comment, Text (reaction), Earlier. GitHub keeps one of a kind
	KindPressed      Kind = "pressed"       // Promotion, SHA, Check (its ID), Text (a press): whether our check run says that it was heard. A read
	KindReply        Kind = "reply"         // Number, Text. Trace: hidden marker that holds the effect's ID
	KindPermission   Kind = "permission"    // Login, Teams: what a person may do, and in which of the teams they are. A read
	KindChecks       Kind = "checks"        // SHA: its check runs and statuses, the newest of each name. A read
	KindReviews      Kind = "reviews"       // Promotion, Number: the reviews of its pull request. A read
	KindCompare      Kind = "compare"       // Promotion, Text (its commit), SHA (tip of the base): in which files they conflict. A read over git
	KindDrift        Kind = "drift"         // Pipeline, Stage, Text (commit that landed there), SHA (tip): which of its files do not hold any more what it wrote. A read over git
	KindPullRequest  Kind = "pull-request"  // Promotion: close it, unmerged. Closing twice is closing once
	KindDeployment   Kind = "deployment"    // Promotion, SHA (the landed commit), Text (its state). Trace: payload with the promotion's name
	KindDeleteBranch Kind = "delete-branch" // Branch, SHA (the tip that we left there). Gone is done
	KindSource       Kind = "source"        // Pipeline, Source, Branch, Known or Version: the newest artifact, or that one. A read over git or of a registry
	KindHistory      Kind = "history"       // Number, Pipeline, Names: a comment with promotions that ended long ago. Trace: as of KindReply
	KindPlan         Kind = "plan"          // Number, Comment, Pipeline, Preview: a comment with what a promotion would change. Trace: as of KindReply
	KindCommitCheck  Kind = "commit-check"  // Pipeline, Source, SHA (a commit of the source, in whatever repository): where its freight is. Trace: external_id on the commit
	KindAdopt        Kind = "adopt"         // what an earlier life left: branches and commits; without a ledger (Unknown) also pull requests and comments. A read
)

// Lag is how long after an effect may have been sent its trace is not looked for:
// GitHub's lists of comments and check runs do not show at once what was made.
func (k Kind) Lag() time.Duration {
	switch k {
	case KindReply, KindPlan, KindHistory, KindCheck, KindConfigCheck, KindDeployment, KindNeutral, KindCommitCheck:
		return 3 * time.Second
	}
	return 0
}

// Effect is one thing to do or to read outside, as a value with an identity.
// While it has no result it is kept in the state: that is the recorded intent.
type Effect struct {
	ID        string    `json:"id"` // derives from the cause; unique in the repository
	Kind      Kind      `json:"kind"`
	Pipeline  string    `json:"pipeline,omitempty"`
	Promotion string    `json:"promotion,omitempty"`
	Step      int       `json:"step,omitempty"`
	Stage     string    `json:"stage,omitempty"`
	Source    string    `json:"source,omitempty"`
	Branch    string    `json:"branch,omitempty"`
	SHA       string    `json:"sha,omitempty"`
	Number    int       `json:"number,omitempty"`
	Comment   int64     `json:"comment,omitempty"`
	Login     string    `json:"login,omitempty"`
	Teams     []string  `json:"teams,omitempty"`
	Names     []string  `json:"names,omitempty"`
	Text      string    `json:"text,omitempty"`
	Check     *Check    `json:"check,omitempty"`
	Preview   *Preview  `json:"preview,omitempty"`
	Known     *Artifact `json:"known,omitempty"`     // of a source: its artifact as last seen; nil: none was
	Version   string    `json:"version,omitempty"`   // of a source: the one that is asked for; empty: the newest
	SentAt    time.Time `json:"sentAt,omitzero"`     // when the intent was first recorded
	Tries     int       `json:"tries,omitempty"`     // answers so far that were errors
	Races     int       `json:"races,omitempty"`     // answers in a row that were ErrRaced
	NotBefore time.Time `json:"notBefore,omitzero"`  // zero: at once
	Hold      bool      `json:"hold,omitempty"`      // git-merge-pr: a gate is shut, so only look
	Look      bool      `json:"look,omitempty"`      // an earlier try's answer is missing: look for its trace first
	Earlier   bool      `json:"earlier,omitempty"`   // react: say whether it was there before, and how the comment was answered then
	Late      bool      `json:"late,omitempty"`      // only after the ledger holds the state
	Unknown   bool      `json:"unknown,omitempty"`   // adopt: there was no ledger, so all is asked of GitHub
	AtRest    bool      `json:"atRest,omitempty"`    // only when nothing else is under way, before the ledger is written
	Blocked   string    `json:"blocked,omitempty"`   // waits for an event: the permission or state that is missing
	Cancelled bool      `json:"cancelled,omitempty"` // not wanted any more: a caller that is not running it answers ErrCancelled
	Error     string    `json:"error,omitempty"`     // of the last try
}

// Check is the content of a check run.
type Check struct {
	Name       string   `json:"name"`
	ExternalID string   `json:"externalID"`
	SHA        string   `json:"sha"`
	ID         int64    `json:"id,omitempty"`         // 0: make one
	Conclusion string   `json:"conclusion,omitempty"` // empty: in progress
	Title      string   `json:"title"`
	Actions    []string `json:"actions,omitempty"`  // identifiers of the buttons: promote, approve, retry, abort
	Running    bool     `json:"running,omitempty"`  // in progress: it has no conclusion yet
	Gates      []string `json:"gates,omitempty"`    // what its summary says of gates, so that a change is news
	Heard      []string `json:"heard,omitempty"`    // presses of its buttons that were carried out or refused, see Press
	Approved   []string `json:"approved,omitempty"` // who said yes to this commit, see Approval.word
	Revision   int64    `json:"revision"`           // of the ledger when it was decided
	Writer     string   `json:"writer,omitempty"`   // the store that it was decided out of, see Local.Writer
}

// Task is an effect with the facts that its runner needs, none of which it may change.
type Task struct {
	Effect    Effect
	Repo      Repo
	Pipeline  *Pipeline // of the config of now; nil when it is gone or broken
	Promotion *Promotion
	Freight   *Freight
	Before    *Freight // what the stage held so far; nil: nothing
	// Step and Config are set for KindStep: the step, its `if` judged and its
	// config evaluated.
	Step   *Step
	Config json.RawMessage
	// Records are what the finished steps of this attempt wrote, in order.
	Records []StepRecord
	State   *State // for those that draw texts
}

// Result is what came of an effect.
type Result struct {
	Effect string `json:"effect"` // its ID
	Err    error  `json:"-"`      // what went wrong; the words of errors.go say how to take it

	// Of a step.
	Phase       StepPhase                  `json:"phase,omitempty"`
	Message     string                     `json:"message,omitempty"`
	Output      map[string]json.RawMessage `json:"output,omitempty"`
	Files       []File                     `json:"files,omitempty"`
	Reads       []string                   `json:"reads,omitempty"`  // what it read of the commits, by which a moved branch is judged
	Mounts      []Mount                    `json:"mounts,omitempty"` // the whole workspace, when the step changed it
	Commit      string                     `json:"commit,omitempty"`
	Recipe      json.RawMessage            `json:"recipe,omitempty"` // what the runner needs to make the same commit again
	Changes     []Change                   `json:"changes,omitempty"`
	Empty       bool                       `json:"empty,omitempty"`  // git-commit: there was nothing to change
	Pushed      string                     `json:"pushed,omitempty"` // branch
	PullRequest *PullRequest               `json:"pullRequest,omitempty"`
	Landed      string                     `json:"landed,omitempty"`
	Metadata    []MetadataUpdate           `json:"metadata,omitempty"`  // to keep; see State.SetMetadata
	Mergeable   Mergeability               `json:"mergeable,omitempty"` // of a pull request that was read
	Tried       bool                       `json:"tried,omitempty"`     // git-merge-pr: GitHub does not merge it as it is now
	Queued      bool                       `json:"queued,omitempty"`    // git-merge-pr: it is in the merge queue
	Auto        bool                       `json:"auto,omitempty"`      // git-merge-pr: GitHub merges it by itself when its rules allow
	// Conflicts are files: of KindCompare those that do not merge, of git-push those in which
	// a person changed what the new edit changes, of KindDrift those that were changed.
	Conflicts []string `json:"conflicts,omitempty"`
	// Moved are those of Conflicts that KindCompare did not find any more, and where they
	// are now; "": nowhere.
	Moved map[string]string `json:"moved,omitempty"`

	// Of the others.
	CheckID      int64    `json:"checkID,omitempty"`
	DeploymentID int64    `json:"deploymentID,omitempty"`
	Heard        []string `json:"heard,omitempty"`      // KindCheck with Look: what the check run said of presses before
	Approved     []string `json:"approved,omitempty"`   // and of approvals
	Before       bool     `json:"before,omitempty"`     // KindReact with Earlier: the reaction was there before. KindPressed: it was heard
	Verdict      Verdict  `json:"verdict,omitempty"`    // KindReact with Earlier: a last reaction that was there before; "": none
	Permission   string   `json:"permission,omitempty"` // admin, write, read, none
	Role         string   `json:"role,omitempty"`       // GitHub's role_name, for sentences
	Teams        []string `json:"teams,omitempty"`      // KindPermission: of those asked for, the ones that the person is an active member of
	// TeamsUnread says why not all of those teams could be read, because the app lacks a
	// permission for example; empty: they were. It is for whoever is refused for it.
	TeamsUnread string         `json:"teamsUnread,omitempty"`
	Checks      []CheckChanged `json:"checks,omitempty"` // KindChecks
	Artifact    *Artifact      `json:"artifact,omitempty"`
	Gone        string         `json:"gone,omitempty"`    // KindSource: why Effect.Known is not to be had any more; empty: it is, or nobody looked
	Digest      string         `json:"digest,omitempty"`  // KindCommitCheck: of the Whereabouts that were written; empty: none were
	Floats      bool           `json:"floats,omitempty"`  // KindSource: its tag is one that moves
	Renamed     string         `json:"renamed,omitempty"` // KindSource: what the repository is called now; empty: as the pipeline says
	Tip         string         `json:"tip,omitempty"`     // KindSource: of the branch, when it was looked up
	Found       []Found        `json:"found,omitempty"`
	Reviews     []Review       `json:"reviews,omitempty"` // KindReviews
	Said        []Said         `json:"said,omitempty"`    // KindAdopt where there is no ledger
}

// ConfigRead is the input that says what the pipeline files hold now.
type ConfigRead struct {
	SHA       string               // commit of the default branch
	Pipelines map[string]*Pipeline // those that could be read
	Broken    map[string][]Problem // by pipeline name: why they could not
	Branch    string               // the default branch; empty: as known
	Tips      map[string]string    // branch → commit, as seen at the same time; nil: not looked at
}

// Rebuilt is the input that says that the state comes from the ledger or from
// nothing, because the store was empty: what GitHub shows is looked at again.
type Rebuilt struct{}

// Input is what the core is given: an Event, a Result, ConfigRead or Rebuilt.
type Input interface{ input() }

func (Event) input()      {}
func (Result) input()     {}
func (ConfigRead) input() {}
func (Rebuilt) input()    {}
