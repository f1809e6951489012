package ghsim

import "time"

// savedVersion is that of the form below. Version 1 had less and can be read.
const savedVersion = 2

// saved is what Save writes: all that GitHub would keep, without the git repositories, which stand in Options.Dir, without
// the tokens of installations, which are short-lived, and without the past deliveries and requests.
type saved struct {
	Version       int                 `json:"version"`
	LastID        int64               `json:"lastID"`
	Users         []savedUser         `json:"users"`
	Teams         []*team             `json:"teams,omitempty"`
	Apps          []savedApp          `json:"apps"`
	Installations []savedInstallation `json:"installations"`
	Repositories  []savedRepository   `json:"repositories"`
	Names         map[string]int64    `json:"names"`
}

type savedUser struct {
	ID      int64          `json:"id"`
	Login   string         `json:"login"`
	Kind    string         `json:"kind"`
	Secret  string         `json:"secret,omitempty"`
	Created time.Time      `json:"created"`
	Members map[int64]bool `json:"members,omitempty"`
}

type savedApp struct {
	ID          int64             `json:"id"`
	Slug        string            `json:"slug"`
	ClientID    string            `json:"clientID"`
	Owner       string            `json:"owner"`
	Key         string            `json:"key"` // PEM
	HookID      int64             `json:"hookID"`
	HookURL     string            `json:"hookURL,omitempty"`
	HookSecret  string            `json:"hookSecret,omitempty"`
	Permissions map[string]string `json:"permissions"`
	Events      []string          `json:"events"`
	Created     time.Time         `json:"created"`

	ClientSecrets []string       `json:"clientSecrets,omitempty"`
	Callbacks     []string       `json:"callbacks,omitempty"`
	Authorized    map[int64]bool `json:"authorized,omitempty"`
}

type savedInstallation struct {
	ID          int64             `json:"id"`
	App         int64             `json:"app"`
	Account     string            `json:"account"`
	Repos       map[int64]bool    `json:"repos"`
	Permissions map[string]string `json:"permissions"`
	Events      []string          `json:"events"`
	Created     time.Time         `json:"created"`
	SuspendedAt time.Time         `json:"suspendedAt,omitzero"`
	SuspendedBy string            `json:"suspendedBy,omitempty"`
	Deleted     bool              `json:"deleted,omitempty"`
}

type savedRepository struct {
	ID            int64                `json:"id"`
	Owner         string               `json:"owner"`
	Name          string               `json:"name"`
	Private       bool                 `json:"private,omitempty"`
	Archived      bool                 `json:"archived,omitempty"`
	NoIssues      bool                 `json:"noIssues,omitempty"`
	DeleteHead    bool                 `json:"deleteHead,omitempty"`
	DefaultBranch string               `json:"defaultBranch"`
	Methods       []string             `json:"methods"`
	Roles         map[int64]role       `json:"roles"`
	Custom        map[int64]string     `json:"custom,omitempty"`
	Teams         map[int64]role       `json:"teams,omitempty"`
	Created       time.Time            `json:"created"`
	Pushed        time.Time            `json:"pushed"`
	Updated       time.Time            `json:"updated"`
	LastNumber    int                  `json:"lastNumber"`
	Labels        map[string]int64     `json:"labels"`          // name → ID
	Looks         map[string][2]string `json:"looks,omitempty"` // of labels, name → color and description
	Issues        []savedIssue         `json:"issues"`
	Suites        []savedSuite         `json:"suites"`
	Runs          []savedRun           `json:"runs"`
	AutoMerge     bool                 `json:"autoMerge,omitempty"`
	Pinned        []int                `json:"pinned,omitempty"`
	Queue         []int                `json:"queue,omitempty"` // numbers of pull requests
	Deployments   []*Deployment        `json:"deployments,omitempty"`
	Releases      []*Release           `json:"releases,omitempty"`
	Parent        int64                `json:"parent,omitempty"`
	Rulesets      []*ruleset           `json:"rulesets,omitempty"`
	Statuses      []*Status            `json:"statuses,omitempty"`
}

type savedIssue struct {
	ID        int64           `json:"id"`
	Number    int             `json:"number"`
	User      string          `json:"user"`
	Title     string          `json:"title"`
	Body      string          `json:"body"`
	State     string          `json:"state"`
	Reason    string          `json:"reason,omitempty"`
	Labels    []string        `json:"labels,omitempty"`
	Created   time.Time       `json:"created"`
	Updated   time.Time       `json:"updated"`
	Closed    time.Time       `json:"closed,omitzero"`
	ClosedBy  string          `json:"closedBy,omitempty"`
	Comments  []savedComment  `json:"comments,omitempty"`
	Reactions []savedReaction `json:"reactions,omitempty"`
	Pull      *savedPull      `json:"pull,omitempty"`
}

type savedComment struct {
	ID        int64           `json:"id"`
	User      string          `json:"user"`
	Body      string          `json:"body"`
	Created   time.Time       `json:"created"`
	Updated   time.Time       `json:"updated"`
	Reactions []savedReaction `json:"reactions,omitempty"`
}

type savedReaction struct {
	ID      int64     `json:"id"`
	User    string    `json:"user"`
	Content string    `json:"content"`
	Created time.Time `json:"created"`
}

type savedPull struct {
	Head       string      `json:"head"`
	HeadSHA    string      `json:"headSHA"`
	Base       string      `json:"base"`
	BaseSHA    string      `json:"baseSHA"`
	ForkPoint  string      `json:"forkPoint"`
	Draft      bool        `json:"draft,omitempty"`
	Merged     bool        `json:"merged,omitempty"`
	MergedAt   time.Time   `json:"mergedAt,omitzero"`
	MergedBy   string      `json:"mergedBy,omitempty"`
	MergeSHA   string      `json:"mergeSHA,omitempty"`
	Stats      [4]int      `json:"stats"` // commits, additions, deletions, files
	Reviews    []*Review   `json:"reviews,omitempty"`
	Auto       *autoMerge  `json:"auto,omitempty"`
	Queued     *queueEntry `json:"queued,omitempty"`
	Fork       int64       `json:"fork,omitempty"`
	ForkOwner  string      `json:"forkOwner,omitempty"`
	LastPusher string      `json:"lastPusher,omitempty"`
	Asked      []string    `json:"asked,omitempty"`
	AskedTeams []int64     `json:"askedTeams,omitempty"`
}

type savedSuite struct {
	ID      int64     `json:"id"`
	App     int64     `json:"app"`
	SHA     string    `json:"sha"`
	Branch  string    `json:"branch"`
	Before  string    `json:"before"`
	Created time.Time `json:"created"`
	Last    time.Time `json:"last"`
	Asked   bool      `json:"asked,omitempty"`
}

type savedRun struct {
	ID          int64            `json:"id"`
	Suite       int64            `json:"suite"`
	Name        string           `json:"name"`
	ExternalID  string           `json:"externalID,omitempty"`
	DetailsURL  string           `json:"detailsURL,omitempty"`
	Status      string           `json:"status"`
	Conclusion  string           `json:"conclusion,omitempty"`
	Started     time.Time        `json:"started,omitzero"`
	Completed   time.Time        `json:"completed,omitzero"`
	Title       *string          `json:"title,omitempty"`
	Summary     *string          `json:"summary,omitempty"`
	Text        *string          `json:"text,omitempty"`
	Annotations []map[string]any `json:"annotations,omitempty"`
	Actions     []CheckAction    `json:"actions,omitempty"`
}
