package promotion

import "time"

// StateVersion is the version of State's form. A binary leaves a ledger with a
// higher one alone. It rises with every field that the ledger keeps, because an
// older binary would drop that when it writes: a freeze that is lost is a
// promotion too many. promotion/ledger holds records of each version, and reads
// them all.
const StateVersion = 4

// State is all that is known of one repository: what the ledger keeps, and in
// Local what GitHub can tell again. Advance never changes one that it was given.
type State struct {
	Version   int                       `json:"version"`
	Revision  int64                     `json:"revision"` // of the ledger: rises with each write of the tracking issue
	Repo      Repo                      `json:"repo"`
	Issue     int                       `json:"issue,omitempty"` // number of the tracking issue; 0: none yet
	Pipelines map[string]*PipelineState `json:"pipelines,omitempty"`
	Comments  []*CommentState           `json:"comments,omitempty"` // oldest first; see commandMemory
	Freeze    *Mark                     `json:"freeze,omitempty"`   // of all stages; nil: none
	Problems  []Problem                 `json:"problems,omitempty"`
	Local     Local                     `json:"local,omitzero"`
}

// Local is the part of the state that the ledger leaves out: what GitHub can
// tell again, and what is under way in this process.
type Local struct {
	Tips      map[string]string    `json:"tips,omitempty"`      // branch → the commit last heard of; a hint
	TipsAt    map[string]time.Time `json:"tipsAt,omitempty"`    // branch → when it was last pushed to, as GitHub says
	ConfigSHA string               `json:"configSHA,omitempty"` // commit of the default branch that Config was read at
	Config    map[string]*Pipeline `json:"config,omitempty"`    // by name, those that could be read
	Pending   map[string]*Effect   `json:"pending,omitempty"`   // effects without a result, by ID: the recorded intents
	Written   string               `json:"written,omitempty"`   // hash of the tracking issue's body as last written
	Creating  time.Time            `json:"creating,omitzero"`   // when a tracking issue was begun whose number is not known
	Suspect   bool                 `json:"suspect,omitempty"`   // the tracking issue was touched by somebody: look before writing
	// LedgerCheck is where the ledger stands while Issues are off; zero: in the tracking
	// issue, or nowhere yet.
	LedgerCheck LedgerCheck `json:"ledgerCheck,omitzero"`
	// ConfigHeads are branches whose pushes touched pipeline files: a pull
	// request from one of them gets the check of its config.
	ConfigHeads map[string]bool `json:"configHeads,omitempty"`
	// ConfigPulls are the open pull requests that change pipeline files, by number.
	ConfigPulls map[int]ConfigPull `json:"configPulls,omitempty"`
	// Checks are the results of others that gates and verification may ask for:
	// commit → "APP/NAME" → the newest.
	Checks map[string]map[string]CheckChanged `json:"checks,omitempty"`
	// Heard are the commits of Checks, the first heard of first.
	Heard []string `json:"heard,omitempty"`
	// Line holds, by branch, the commits that were its tip, the last one last:
	// each contains those before it.
	Line map[string][]string `json:"line,omitempty"`
	// Wakes says when a pipeline wants to be looked at without an event.
	Wakes map[string]time.Time `json:"wakes,omitempty"`
	// Rebuilt is when the store was last found empty: what was commented before may
	// have been answered by an earlier life.
	Rebuilt time.Time `json:"rebuilt,omitzero"`
	// Looked says when a source was last looked at, by "source/PIPELINE/SOURCE": those
	// that no push tells of.
	Looked map[string]time.Time `json:"looked,omitempty"`
	// Heads are the tips of other repositories' branches as hints last told of them, by
	// "WATCH BRANCH".
	Heads map[string]string `json:"heads,omitempty"`
	// Followers are the sources of Config that follow branches of the repository itself;
	// nil: not listed yet.
	Followers Followers `json:"-"`
	// Asking are the pipelines of Config with a stage that asks for checks; nil: not
	// listed yet.
	Asking map[string]bool `json:"-"`
	// Places find the pipelines that a push concerns; nil: nobody has asked yet.
	Places *Places `json:"-"`
	// Sought are versions that people named, by "PIPELINE/WORD".
	Sought map[string]Sought `json:"sought,omitempty"`
	// Strangers are those who were found to have no more than everybody has, by
	// login in lower case.
	Strangers map[string]Stranger `json:"strangers,omitempty"`
	// Writer is the name of the store that this state is kept in, which stands in
	// each tracking issue that is written out of it; empty: it has none.
	Writer string `json:"writer,omitempty"`
	// Rival is another server that writes the tracking issue; nil: none is known.
	Rival *Rival `json:"rival,omitempty"`
	// Found are traces of an earlier life that wait until their freight is known.
	Found []Found `json:"found,omitempty"`
	// Kept are those of pipelines whose files cannot be read: they wait until they can.
	Kept []Found `json:"kept,omitempty"`
	// Absent are those of landings in stages that the config does not have: such a stage may
	// come back.
	Absent []Found `json:"absent,omitempty"`
	// Spent are the causes of promotions that traces told of and that are not known any
	// more, as names hold them: what made those is not carried out again.
	Spent map[string]bool `json:"spent,omitempty"`
	// Said is what people said in an earlier life, until its traces are known.
	Said []Said `json:"said,omitempty"`
	// Early are deliveries about what is still being found out.
	Early []Early `json:"early,omitempty"`
}

// LedgerCheck is a check run that holds the ledger.
type LedgerCheck struct {
	ID  int64  `json:"id"`
	SHA string `json:"sha"` // the commit that it stands on
}

// PipelineState is what happened in one pipeline.
type PipelineState struct {
	Freight    []*Freight             `json:"freight,omitempty"`   // oldest first; see freightMemory
	Artifacts  map[string]Artifact    `json:"artifacts,omitempty"` // source → the newest one
	Kept       map[string][]Artifact  `json:"kept,omitempty"`      // source → older ones that no freight holds any more, the newest last; see artifactMemory
	NextNumber int64                  `json:"nextNumber,omitempty"`
	Stages     map[string]*StageState `json:"stages,omitempty"`
	Promotions []*Promotion           `json:"promotions,omitempty"` // live ones, and the last that ended; in order of name
	Blocked    map[string]*Mark       `json:"blocked,omitempty"`    // freight ID → who blocked it
	Broken     []Problem              `json:"broken,omitempty"`     // why the config of now cannot be read; empty: it can
	Gone       bool                   `json:"gone,omitempty"`       // the config file was removed
	Shown      map[string]CommitCheck `json:"shown,omitempty"`      // commit of a git source → its check run; of sources that ask for them
}

// StageState is what a stage holds and remembers.
type StageState struct {
	Current  *Landing             `json:"current,omitempty"`
	Verified map[string]time.Time `json:"verified,omitempty"` // freight ID → since when it counts as verified here
	Tried    map[string]bool      `json:"tried,omitempty"`    // freight IDs that were promoted here by themselves once, or shall not be
	Before   []Landing            `json:"before,omitempty"`   // what it held before Current, the last one last; see landingMemory
	Health   Health               `json:"health,omitzero"`
	Freeze   *Mark                `json:"freeze,omitempty"` // nil: none; State.Freeze counts too
	Paused   *Mark                `json:"paused,omitempty"` // nothing promotes itself here after a rollback; nil: it may
	Metadata Metadata             `json:"metadata,omitempty"`
	Drift    *Drift               `json:"drift,omitempty"` // somebody changed by hand what the last promotion wrote; nil: nobody is known to have
}

// Mark is what a person set until somebody lifts it: a freeze, a block, a pause.
type Mark struct {
	By     string    `json:"by"` // login; "": the app itself, see Reason
	At     time.Time `json:"at"`
	Until  time.Time `json:"until,omitzero"` // zero: until somebody lifts it
	Reason string    `json:"reason,omitempty"`
	// Gone are the sources whose artifacts are not to be had any more, for which the app
	// itself set a block: it lifts that when all of them are back.
	Gone []string `json:"gone,omitempty"`
}

// Health is how what a stage holds fares. The zero value is healthy.
type Health struct {
	Bad   bool      `json:"bad,omitempty"`
	Why   string    `json:"why,omitempty"`
	Since time.Time `json:"since,omitzero"`
}

// GateStatus says how a gate stands.
type GateStatus string

// The statuses of a gate.
const (
	GateOpen    GateStatus = "open"
	GatePending GateStatus = "pending" // not yet: it waits for time, a result or an answer
	GateClosed  GateStatus = "closed"  // the answer is no, for now
)

// Gate is a condition of a promotion and how it stands.
type Gate struct {
	Name   string     `json:"name"` // after, health, soak, checks, approvals, windows, freeze, block, config
	Status GateStatus `json:"status"`
	Text   string     `json:"text"`             // one sentence that fits into a check run's title
	Until  time.Time  `json:"until,omitzero"`   // when it may change by itself; zero: only by an event
	Person bool       `json:"person,omitempty"` // somebody has to act
}

// Approval is one person's yes to a promotion.
type Approval struct {
	By     string    `json:"by"` // login
	At     time.Time `json:"at"`
	Head   string    `json:"head,omitempty"`   // of the pull request when it was written; empty: there was none
	Review int64     `json:"review,omitempty"` // 0: it was a command
	Teams  []string  `json:"teams,omitempty"`  // of those named then, the ones that the person was in
}

// Landing is freight that reached a stage.
type Landing struct {
	Freight   string    `json:"freight"`
	Promotion string    `json:"promotion"`
	Commit    string    `json:"commit,omitempty"` // that brought it; where there was nothing to change, one that held it already; empty: none is known
	At        time.Time `json:"at"`
	Files     []string  `json:"files,omitempty"`  // of Current: what was written, the first fifty
	Held      bool      `json:"held,omitempty"`   // there was nothing to change: the commit held it already
	Undone    bool      `json:"undone,omitempty"` // somebody rolled back from it
}

// CommentState is a comment whose commands were seen.
type CommentState struct {
	Comment  int64          `json:"comment,omitempty"` // 0: a button, see Cause
	Cause    string         `json:"cause,omitempty"`   // of a button: the delivery
	Number   int            `json:"number,omitempty"`
	By       string         `json:"by"`
	At       time.Time      `json:"at"`
	Review   int64          `json:"review,omitempty"` // of an approving review; the commit that it looked at is Head
	Head     string         `json:"head,omitempty"`   // also of a button: the commit of its check run
	On       string         `json:"on,omitempty"`     // of a button: the promotion on whose check run it stood
	Commands []CommandState `json:"commands"`
	Sent     []string       `json:"sent,omitempty"` // reactions and the reply that were sent
	Done     bool           `json:"done,omitempty"` // all of them were
	Look     bool           `json:"look,omitempty"` // an earlier life may have sent the reply
	// Unread: a review of somebody whose teams could not be read. It is judged again
	// when an event says that they may be.
	Unread bool `json:"unread,omitempty"`
}

// CommandState is one command and what came of it.
type CommandState struct {
	Command
	Verdict Verdict `json:"verdict,omitempty"`
	Answer  string  `json:"answer,omitempty"` // text of the comment that answers it; empty: a reaction is enough
}

// Verdict is the answer to a command; its values are GitHub's reaction names.
type Verdict string

// The verdicts. The zero value means not yet.
const (
	VerdictSeen    Verdict = "eyes"
	VerdictStarted Verdict = "rocket"   // a promotion was queued
	VerdictDone    Verdict = "+1"       // done, or there was nothing to do
	VerdictWrong   Verdict = "confused" // it makes no sense, and the answer says what would
	VerdictDenied  Verdict = "-1"       // this person may not
)

// Problem is something that a person should know and can mend.
type Problem struct {
	Key        string    `json:"key"` // one problem each; a new one replaces it
	Text       string    `json:"text"`
	File       string    `json:"file,omitempty"`
	Line       int       `json:"line,omitempty"`   // from 1; 0: the whole file
	Column     int       `json:"column,omitempty"` // from 1; 0: unknown
	Suggestion string    `json:"suggestion,omitempty"`
	At         time.Time `json:"at,omitzero"`
}
