package promotion

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion/window"
)

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

// stages are the pipeline's; of nil there are none.
func (p *Pipeline) stages() []Stage {
	if p == nil {
		return nil
	}
	return p.Stages
}

// InOrder are stages as freight comes through them: each behind those of its `after`,
// and else as they are written. A circle, which no config has, ends at the end.
func InOrder(stages []Stage) []*Stage {
	pending := map[string]bool{}
	for _, s := range stages {
		pending[s.Name] = true
	}
	out := make([]*Stage, 0, len(stages))
	for len(pending) > 0 {
		i := slices.IndexFunc(stages, func(s Stage) bool {
			return pending[s.Name] && !slices.ContainsFunc(s.After, func(a string) bool { return pending[a] })
		})
		if i < 0 {
			i = slices.IndexFunc(stages, func(s Stage) bool { return pending[s.Name] })
		}
		out = append(out, &stages[i])
		delete(pending, stages[i].Name)
	}
	return out
}

// Source is where new versions come from. Exactly one of the kinds is set.
type Source struct {
	Name    string         `json:"name"`
	Git     *GitSource     `json:"git,omitempty"`
	Image   *ImageSource   `json:"image,omitempty"`
	Chart   *ChartSource   `json:"chart,omitempty"`
	Release *ReleaseSource `json:"release,omitempty"`
}

// GitSource follows a branch of a repository, or its tags.
type GitSource struct {
	Repo   string   `json:"repo,omitempty"`   // "owner/name"; empty: the pipeline's own repository
	Branch string   `json:"branch,omitempty"` // empty: the default branch
	Paths  []string `json:"paths,omitempty"`  // only commits that touch these make freight; empty: every path
	Ignore []string `json:"ignore,omitempty"` // paths that do not count
	Tags   *TagRule `json:"tags,omitempty"`   // nil: it follows the branch
	// CheckRun: the commits of freight that somebody promotes have a check run that
	// says where it is.
	CheckRun bool `json:"checkRun,omitempty"`
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
	SupersedeOpen   Supersede = "open"   // also one whose pull request is open
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
	Environment string                     `json:"environment,omitempty"` // where to record GitHub Deployments; empty: nowhere
	Steps       []Step                     `json:"steps,omitempty"`
	Gates       Gates                      `json:"gates,omitzero"`
	Verify      *Verify                    `json:"verify,omitempty"`  // nil: landing is enough
	Allow       *Allow                     `json:"allow,omitempty"`   // nil: whoever may write
	Timeout     time.Duration              `json:"timeout,omitempty"` // of the whole promotion, from its start; 0: none
}

// Gates are the conditions of a stage. Freezes and blocks are set by people and
// stand in the state.
type Gates struct {
	Soak      time.Duration   `json:"soak,omitempty"`   // since the `after` stages verified the freight; 0: none
	Checks    []string        `json:"checks,omitempty"` // globs of whole names: * and ? cross no slash, ** does
	Approvals *Approvals      `json:"approvals,omitempty"`
	Windows   []window.Window `json:"windows,omitempty"`
}

// Approvals say who must agree, and how many of them.
type Approvals struct {
	Count            int      `json:"count,omitempty"` // 0: 1
	Teams            []string `json:"teams,omitempty"` // slugs in the owner's organization; with neither teams nor users: who may promote
	Users            []string `json:"users,omitempty"` // logins
	ExcludeRequester bool     `json:"excludeRequester,omitempty"`
}

// Verify is what must hold after a promotion landed, before its freight counts
// as verified in the stage.
type Verify struct {
	Checks    []string      `json:"checks"`            // globs as in Gates.Checks
	Timeout   time.Duration `json:"timeout,omitempty"` // 0: DefaultVerify
	OnFailure OnFailure     `json:"onFailure,omitempty"`
}

// DefaultVerify is how long verification may take where nothing else is said.
const DefaultVerify = 30 * time.Minute

// OnFailure says what a red or silent verification leads to.
type OnFailure string

// The answers. The zero value means OnFailureHold.
const (
	OnFailureHold     OnFailure = "hold"     // the stage is unhealthy: nothing goes on from it
	OnFailureRollback OnFailure = "rollback" // what was verified there before comes back
	OnFailureIgnore   OnFailure = "ignore"   // it counts as verified all the same
)

// Allow names who may promote to a stage.
type Allow struct {
	Teams []string `json:"teams,omitempty"` // slugs in the owner's organization
	Users []string `json:"users,omitempty"` // logins
}

// PullRequestOptions shape a promotion's pull request. Title and Body may hold
// expressions; empty means the app's own wording.
type PullRequestOptions struct {
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"`
	Draft bool   `json:"draft,omitempty"`
	Merge string `json:"merge,omitempty"` // MergeManual (also empty) or MergeAuto
	// Method is GitHub's merge method: squash, merge or rebase; empty: the first
	// that the repository allows, in this order.
	Method        string   `json:"method,omitempty"`
	Labels        []string `json:"labels,omitempty"`
	Reviewers     []string `json:"reviewers,omitempty"`     // logins
	TeamReviewers []string `json:"teamReviewers,omitempty"` // slugs
}

// Who merges a promotion's pull request.
const (
	MergeManual = "manual"
	MergeAuto   = "auto" // the app, once all gates are open and GitHub allows it
)

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

// PushesTag reports whether the step is a git-push of a tag, not of a branch.
func (s *Step) PushesTag() bool {
	var config struct{ Tag json.RawMessage }
	return s.Uses == "git-push" && json.Unmarshal(s.Config, &config) == nil && config.Tag != nil
}

// Retry says how often a step may error before it counts as errored.
type Retry struct {
	ErrorThreshold int           `json:"errorThreshold,omitempty"` // 0: the default, see MaxTries
	Timeout        time.Duration `json:"timeout,omitempty"`        // from the step's first try; 0: none
}
