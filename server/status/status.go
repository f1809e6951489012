package status

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// lastEnded is how many promotions are told of that have ended.
const lastEnded = 10

// Status is where a repository's promotions stand. What is null in JSON is not, or
// is not known.
type Status struct {
	Repository string      `json:"repository"`
	Issue      string      `json:"issue"`    // address of the tracking issue, or of the check run in its place; empty: there is none yet
	Revision   int64       `json:"revision"` // of the record; 0: there is none yet
	Problems   []string    `json:"problems"`
	Pipelines  []string    `json:"pipelines"`
	Stages     []Stage     `json:"stages"`     // of a pipeline each after those that it waits for
	Promotions []Promotion `json:"promotions"` // live ones, then the last ten that ended, the last one first
}

// Stage is one stage and what it holds.
type Stage struct {
	Pipeline string     `json:"pipeline"`
	Name     string     `json:"name"`
	Freight  *string    `json:"freight"` // alias
	Version  string     `json:"version"` // for people: "web 1.4.2"
	Since    *time.Time `json:"since"`
	Health   string     `json:"health"`  // healthy, verifying, unverified, unhealthy, or empty: it holds nothing
	Frozen   *string    `json:"frozen"`  // the reason
	Paused   *string    `json:"paused"`  // why nothing promotes itself there
	Running  *string    `json:"running"` // the promotion that holds the stage
	Queue    []string   `json:"queue"`   // promotions, the next one first
}

// Promotion is one promotion.
type Promotion struct {
	Name        string          `json:"name"`
	Pipeline    string          `json:"pipeline"`
	Stage       string          `json:"stage"`
	Freight     string          `json:"freight"` // alias
	Version     string          `json:"version"`
	Phase       promotion.Phase `json:"phase"`
	Message     string          `json:"message"`
	Until       *time.Time      `json:"until"`       // when what it waits for may change by itself
	RequestedBy *string         `json:"requestedBy"` // login
	Automatic   bool            `json:"automatic"`
	CreatedAt   time.Time       `json:"createdAt"`
	EndedAt     *time.Time      `json:"endedAt"`
	PullRequest *int            `json:"pullRequest"`
	Commit      *string         `json:"commit"` // what landed, else what will
	Steps       []Step          `json:"steps"`
	Gates       []Gate          `json:"gates"`
}

// Step is one step of a promotion, with its status in the words of plan.
type Step struct {
	Uses    string `json:"uses"`
	As      string `json:"as"`
	Status  string `json:"status"` // pending, running, waiting, succeeded, skipped, failed, errored
	Message string `json:"message"`
}

// Gate is one condition of a promotion.
type Gate struct {
	Name    string               `json:"name"`
	Status  promotion.GateStatus `json:"status"`
	Message string               `json:"message"`
	Until   *time.Time           `json:"until"`
}

// Of sums up a state. Stages of pipelines in State.Local.Config come as these have
// them, others by name. It does not change the state.
func Of(s *promotion.State, links ledger.Links) Status {
	out := Status{
		Repository: s.Repo.FullName(), Revision: s.Revision, Issue: links.Page(s),
		Problems: []string{}, Pipelines: pipelineNames(s), Stages: []Stage{}, Promotions: []Promotion{},
	}
	for _, p := range s.Problems {
		out.Problems = append(out.Problems, problem(p))
	}
	var ended []Promotion
	for _, name := range out.Pipelines {
		ps := s.Pipelines[name]
		if ps == nil {
			ps = &promotion.PipelineState{}
		}
		for _, p := range ps.Broken {
			out.Problems = append(out.Problems, problem(p))
		}
		out.Stages = append(out.Stages, stagesOf(s, name, ps)...)
		live, over := promotionsOf(name, ps)
		out.Promotions, ended = append(out.Promotions, live...), append(ended, over...)
	}
	slices.SortStableFunc(ended, func(a, b Promotion) int {
		return cmp.Or(b.ended().Compare(a.ended()), cmp.Compare(b.Name, a.Name))
	})
	out.Promotions = append(out.Promotions, ended[:min(lastEnded, len(ended))]...)
	return out
}

// pipelineNames are those that the files or the record know, the default one first.
func pipelineNames(s *promotion.State) []string {
	known := map[string]bool{}
	for name, ps := range s.Pipelines {
		known[name] = !ps.Gone
	}
	for name := range s.Local.Config {
		known[name] = true
	}
	maps.DeleteFunc(known, func(_ string, there bool) bool { return !there })
	names := slices.Sorted(maps.Keys(known))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return append([]string{}, names...)
}

func rank(pipeline string) int {
	if pipeline == promotion.DefaultPipeline {
		return 0
	}
	return 1
}

// titleOf names freight for people; one that is forgotten by its ID.
func titleOf(ps *promotion.PipelineState, id string) string {
	for _, f := range ps.Freight {
		if f.ID == id {
			return f.Title()
		}
	}
	return id[:min(7, len(id))]
}
