package promotion

import "encoding/json"

// Pipeline is one config file: its sources and its stages.
// Raw values (vars, step configs) stay JSON text until they are evaluated, so
// that no integer turns into a float on its way through the state.
type Pipeline struct {
	Name     string                     `json:"name"`
	Path     string                     `json:"path"` // of the config file in the repository
	Sources  []Source                   `json:"sources,omitempty"`
	Vars     map[string]json.RawMessage `json:"vars,omitempty"`
	Stages   []Stage                    `json:"stages,omitempty"`
	Verified bool                       `json:"verified,omitempty"` // commits.verified
}

// Stage returns the stage called name, or nil.
func (p *Pipeline) Stage(name string) *Stage {
	if p == nil {
		return nil
	}
	for i := range p.Stages {
		if p.Stages[i].Name == name {
			return &p.Stages[i]
		}
	}
	return nil
}

// Source is where new versions come from. Exactly one of the kinds is set.
type Source struct {
	Name string     `json:"name"`
	Git  *GitSource `json:"git,omitempty"`
}

// GitSource follows a branch of a repository.
type GitSource struct {
	Repo   string   `json:"repo,omitempty"`   // "owner/name"; empty: the pipeline's own repository
	Branch string   `json:"branch,omitempty"` // empty: the default branch
	Paths  []string `json:"paths,omitempty"`  // only commits that touch these make freight; empty: every path
	Ignore []string `json:"ignore,omitempty"` // paths that do not count
}

// AfterMode says how many of a stage's `after` stages must have verified freight.
type AfterMode string

// The modes. The zero value means AfterAll.
const (
	AfterAll AfterMode = "all"
	AfterAny AfterMode = "any"
)

// Deliver says how a stage's change reaches its branch.
type Deliver string

// The ways to deliver.
const (
	DeliverPullRequest Deliver = "pull-request"
	DeliverCommit      Deliver = "commit"
	DeliverNone        Deliver = "none" // the steps do the git work themselves
)

// Supersede says what newer freight does to older promotions of a stage.
type Supersede string

// The policies. SupersedeQueued is the default.
const (
	SupersedeQueued Supersede = "queued" // drops older automatic ones that wait in the queue
	SupersedeNever  Supersede = "never"  // each one runs
)

// Stage is a place that freight is promoted to.
type Stage struct {
	Name        string                     `json:"name"`
	After       []string                   `json:"after,omitempty"`
	AfterMode   AfterMode                  `json:"afterMode,omitempty"`
	Auto        bool                       `json:"auto,omitempty"`   // promote: auto
	Branch      string                     `json:"branch,omitempty"` // empty: the default branch
	Deliver     Deliver                    `json:"deliver"`
	PullRequest PullRequestOptions         `json:"pullRequest,omitzero"`
	Vars        map[string]json.RawMessage `json:"vars,omitempty"`
	Supersede   Supersede                  `json:"supersede,omitempty"`
	Steps       []Step                     `json:"steps,omitempty"`
}

// PullRequestOptions shape a promotion's pull request. Title and Body may hold
// expressions; empty means the app's own wording.
type PullRequestOptions struct {
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"`
	Draft bool   `json:"draft,omitempty"`
}

// Step is one unit of a promotion's work, as written.
type Step struct {
	Uses            string                     `json:"uses"`
	As              string                     `json:"as,omitempty"`     // name under which others read the output; empty: "step-N", N from 1
	If              string                     `json:"if,omitempty"`     // expression text; empty: runs while nothing has failed
	Config          json.RawMessage            `json:"config,omitempty"` // an object; values may hold expressions
	Vars            map[string]json.RawMessage `json:"vars,omitempty"`
	Retry           Retry                      `json:"retry,omitzero"`
	ContinueOnError bool                       `json:"continueOnError,omitempty"`
	Added           bool                       `json:"added,omitempty"` // by `deliver`, not written by the user
}

// Retry says how often a step may error before it counts as errored.
type Retry struct {
	ErrorThreshold int `json:"errorThreshold,omitempty"` // 0: the default, see MaxTries
}
