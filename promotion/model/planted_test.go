package model_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/model"
)

type plantedFault struct {
	name   string
	found  string
	plant  model.Plant
	stages []model.Traits // of the schedules; none: drawn
}

// planted are faults put into what stands around the core, one for each promise
// that the core holds, and by which promise's rule they are found. Faults in the
// core's own source are in mutation_test.go.
var planted = []plantedFault{
	{"a queued promotion starts beside the one that runs", "promise 1", flips(func(_ *promotion.State, p *promotion.Promotion, d *promotion.State) {
		if p.Phase == promotion.PhaseQueued && p.Plan == nil && busy(d, p.Stage) {
			p.Phase, p.StartedAt, p.Message = promotion.PhaseWaiting, p.CreatedAt, "Waiting"
		}
	}), nil},
	{"an ended promotion comes back", "promise 2", flips(func(before *promotion.State, p *promotion.Promotion, _ *promotion.State) {
		if was := before.Promotion(p.Name); was != nil && was.Phase == promotion.PhaseSucceeded {
			p.Phase = promotion.PhaseWaiting
		}
	}), nil},
	{"a free stage starts nothing", "promise 3", flips(func(before *promotion.State, p *promotion.Promotion, d *promotion.State) {
		if was := before.Promotion(p.Name); was != nil && was.Phase == promotion.PhaseQueued && p.Phase == promotion.PhaseRunning {
			p.Phase, p.Plan, p.Steps = promotion.PhaseQueued, nil, nil
			for id, e := range d.Local.Pending {
				if e.Promotion == p.Name {
					delete(d.Local.Pending, id)
				}
			}
		}
	}), nil},
	{"a stage waits for the others", "promise 4", flips(func(before *promotion.State, p *promotion.Promotion, d *promotion.State) {
		if was := before.Promotion(p.Name); was != nil && was.Phase == promotion.PhaseQueued && p.Phase == promotion.PhaseRunning && busyBeside(before, p.Stage) {
			p.Phase, p.Plan, p.Steps = promotion.PhaseQueued, nil, nil
			for id, e := range d.Local.Pending {
				if e.Promotion == p.Name {
					delete(d.Local.Pending, id)
				}
			}
		}
	}), nil},
	{"a branch that another stage pushed to is a failure", "promise 4", flips(func(before *promotion.State, p *promotion.Promotion, _ *promotion.State) {
		if was := before.Promotion(p.Name); was != nil && p.Replays > was.Replays && p.Phase == promotion.PhaseRunning {
			p.Phase, p.Message = promotion.PhaseErrored, "The branch moved"
		}
	}), nil},
	{"freight counts as verified that never was", "promise 5", states(func(_, d *promotion.State) {
		for _, f := range d.Pipelines["default"].Freight {
			for _, st := range d.Pipelines["default"].Stages {
				if st.Verified == nil {
					continue
				}
				st.Verified[f.ID] = f.CreatedAt
			}
		}
	}), nil},
	{"a pull request carries other freight than it did", "promise 6", flips(func(_ *promotion.State, p *promotion.Promotion, d *promotion.State) {
		all := d.Pipelines["default"].Freight
		if p.PullRequest != nil && len(all) > 1 {
			p.Freight = all[len(all)-1].ID
		}
	}), nil},
	{"finished steps begin anew", "promise 7", flips(func(_ *promotion.State, p *promotion.Promotion, _ *promotion.State) {
		if p.Phase == promotion.PhaseRunning && len(p.Steps) > 1 && p.Steps[0].Phase == promotion.StepSucceeded && p.Replays == 0 {
			p.Replays++
		}
	}), nil},
	{"an answer is sent twice", "promise 8", model.Plant{Twice: kind(promotion.KindReply)}, nil},
	{"the missing answer of an effect is not looked for", "promise 8", states(func(_, d *promotion.State) {
		for _, e := range d.Local.Pending {
			e.Look = false
		}
	}), nil},
	{"what a step gave is made anew", "promise 9", flips(func(_ *promotion.State, p *promotion.Promotion, _ *promotion.State) {
		if len(p.Steps) > 1 && p.Steps[1].Phase == promotion.StepSucceeded && p.Steps[0].Phase == promotion.StepSucceeded && p.Phase.Started() {
			p.Steps[0].Output = map[string]json.RawMessage{"value": json.RawMessage("-1")}
		}
	}), nil},
	{"every decision looks at the source again", "promise 10", states(func(_, d *promotion.State) {
		if d.Local.Pending == nil {
			d.Local.Pending = map[string]*promotion.Effect{}
		}
		d.Local.Pending["source/default/app/more"] = &promotion.Effect{ID: "source/default/app/more", Kind: promotion.KindSource, Pipeline: "default", Source: "app", Branch: "main"}
	}), nil},
	{"a wait that GitHub told is cut short", "promise 13", states(func(_, d *promotion.State) {
		for _, e := range d.Local.Pending {
			e.NotBefore = e.SentAt
		}
	}), nil},
	{"nobody hears of merges", "promise 14", model.Plant{Hide: func(e promotion.Event) bool {
		pull, ok := e.Body.(promotion.PullRequestChanged)
		return ok && pull.Merged || isPush(e)
	}}, nil},
	{"an empty disk finds no freight", "promise 15", model.Plant{Answer: func(s *promotion.State, e promotion.Effect, r promotion.Result) promotion.Result {
		if e.Kind == promotion.KindSource && !s.Local.Rebuilt.IsZero() {
			r.Artifact = nil
		}
		return r
	}}, nil},
	{"a touched tracking issue is left as it is", "promise 16", states(func(_, d *promotion.State) { d.Local.Suspect = false }), nil},
	{"nobody says who touched the tracking issue", "promise 16", states(func(_, d *promotion.State) { d.Problems = nil }), nil},
	{"a server goes on beside an older one", "promise 16", states(func(_, d *promotion.State) { d.Local.Rival = nil }), nil},
	{"traces of an earlier life are overlooked", "promise 17", model.Plant{Answer: func(_ *promotion.State, e promotion.Effect, r promotion.Result) promotion.Result {
		r.Found = nil
		return r
	}}, nil},
	{"a branch is never deleted", "promise 17", states(func(_, d *promotion.State) {
		for id, e := range d.Local.Pending {
			if e.Kind == promotion.KindDeleteBranch {
				delete(d.Local.Pending, id)
				d.Promotion(e.Promotion).Pushed = ""
			}
		}
	}), nil},
	{"everybody may", "promise 18", states(func(_, d *promotion.State) {
		for _, c := range d.Comments {
			for i := range c.Commands {
				if c.Commands[i].Verdict == promotion.VerdictDenied {
					c.Commands[i].Verdict = promotion.VerdictDone
				}
			}
		}
	}), nil},
	{"an approval moves along with the head", "promise 19", flips(func(_ *promotion.State, p *promotion.Promotion, _ *promotion.State) {
		for i := range p.Approvals {
			if p.PullRequest != nil {
				p.Approvals[i].Head = p.PullRequest.Head
			}
		}
	}), merging},
	{"what merges is taken for a conflict", "promise 12", model.Plant{Answer: func(_ *promotion.State, e promotion.Effect, r promotion.Result) promotion.Result {
		if e.Kind == promotion.KindCompare {
			r.Conflicts = []string{"envs/a"}
		}
		return r
	}}, pulling},
	{"no conflict is found", "promise 12", model.Plant{Answer: func(_ *promotion.State, e promotion.Effect, r promotion.Result) promotion.Result {
		r.Mergeable = ""
		if e.Kind == promotion.KindCompare {
			r.Conflicts = nil
		}
		return r
	}}, pulling},
	{"what people changed is overwritten unasked", "promise 12", flips(func(_ *promotion.State, p *promotion.Promotion, _ *promotion.State) {
		if p.Redo != nil {
			p.Redo.Force = true
		}
	}), pulling},
	{"a wait says nothing", "promise 14", flips(func(_ *promotion.State, p *promotion.Promotion, _ *promotion.State) { p.Message = "" }), nil},
}

// Each promise that the core holds has a fault that breaks it.
func TestEachPromiseIsBrokenByAPlantedFault(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 19} {
		promise := fmt.Sprint("promise ", n)
		if !slices.ContainsFunc(planted, func(p plantedFault) bool { return p.found == promise }) {
			t.Errorf("%s has none", promise)
		}
	}
}

// TestPlantedFaultsAreFound shows that the rules find what breaks a promise.
func TestPlantedFaultsAreFound(t *testing.T) {
	if underRace {
		t.Skip("one goroutine, and many copies: played without the race detector")
	}
	for _, c := range planted {
		t.Run(c.name, func(t *testing.T) {
			others := map[string]int{}
			for seed := range uint64(4000) {
				schedule := model.Drawn(seed)
				if c.stages != nil {
					schedule.Stages = c.stages
				}
				switch broke := model.Play(schedule, c.plant); {
				case promiseOf(broke) == c.found:
					return
				case broke != "":
					others[promiseOf(broke)]++
				}
			}
			t.Errorf("not found by the rule of %s; by others: %v", c.found, others)
		})
	}
}

// pulling is a stage whose pull requests people merge.
var pulling = []model.Traits{{0, 0, 1, 1}}

// merging is a stage whose pull requests the app merges once one person approved.
var merging = []model.Traits{{0, 0, 1, 3, 0, 0, 1}}

func kind(k promotion.Kind) func(promotion.Effect) bool {
	return func(e promotion.Effect) bool { return e.Kind == k }
}

func isPush(e promotion.Event) bool {
	push, ok := e.Body.(promotion.Pushed)
	return ok && push.Branch == "main"
}

func busyBeside(s *promotion.State, stage string) bool {
	return slices.ContainsFunc(s.Pipelines["default"].Promotions, func(p *promotion.Promotion) bool { return p.Stage != stage && p.Phase.Started() })
}

func busy(s *promotion.State, stage string) bool {
	for _, p := range s.Pipelines["default"].Promotions {
		if p.Stage == stage && p.Phase.Started() {
			return true
		}
	}
	return false
}

// states changes the state of each decision; it is a copy.
func states(change func(before, d *promotion.State)) model.Plant {
	return model.Plant{Decide: func(before *promotion.State, d promotion.Decision, now time.Time) promotion.Decision {
		if d.State.Pipelines["default"] == nil {
			return d
		}
		d.State = model.Copy(d.State)
		change(before, d.State)
		again := promotion.Advance(d.State, nil, now)
		d.Effects = again.Effects
		return d
	}}
}

// flips changes each promotion of each decision.
func flips(change func(before *promotion.State, p *promotion.Promotion, d *promotion.State)) model.Plant {
	return states(func(before, d *promotion.State) {
		for _, p := range d.Pipelines["default"].Promotions {
			change(before, p, d)
		}
	})
}
