package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/plan"
)

// plan runs a stage's steps over the tip of its branch, as `stagecoach plan` does
// over a clone, and shows in a comment what they would change. Nothing is pushed, and
// no step reaches outside.
func (r *Runner) plan(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	w, err := r.planned(ctx, t)
	if err != nil {
		return promotion.Result{}, err
	}
	d, err := r.newDraft(ctx, t, promotion.NewPlan(w.pipeline, w.stage, t.Repo.DefaultBranch).Branch)
	if err != nil {
		return promotion.Result{}, err
	}
	done, err := plan.Run(ctx, plan.Request{
		Tree: d, Repo: t.Repo, WebURL: r.WebURL, By: t.Effect.Preview.By, Pipeline: w.pipeline, Stage: w.stage, Freight: w.freight,
		Now: t.Effect.SentAt, State: w.state(t),
	})
	if err != nil {
		return promotion.Result{}, err
	}
	out := promotion.Planned{
		Pipeline: w.pipeline.Name, Stage: w.stage.Name, Freight: w.freight, Branch: d.branch, Tip: d.tip,
		Diff: done.Diff, Hidden: d.hidden, Gates: t.State.Foresee(w.pipeline, w.stage, w.freight.ID, t.Effect.SentAt),
	}
	for _, s := range done.Steps {
		out.Steps = append(out.Steps, promotion.PlannedStep{Uses: s.Uses, Status: s.Status, Message: s.Message})
	}
	for _, f := range done.Files {
		out.Files = append(out.Files, promotion.Change{Path: f.Path, Status: f.Status})
	}
	out.Running, out.Ahead = w.queue(t.State)
	return r.GitHub.Plan(ctx, t, out), nil
}

// what a plan is about.
type what struct {
	pipeline *promotion.Pipeline
	stage    *promotion.Stage
	freight  *promotion.Freight
}

// planned finds out what a plan is about, by the pipeline files of now or by those
// of a pull request.
func (r *Runner) planned(ctx context.Context, t promotion.Task) (w what, err error) {
	ask := t.Effect.Preview
	if ask == nil {
		return w, promotion.Terminal(errors.New("the effect does not say what to plan"))
	}
	if ask.Head != "" {
		return r.plannedAt(ctx, t, ask.Head)
	}
	w.pipeline = t.State.Local.Config[t.Effect.Pipeline]
	w.stage = w.pipeline.Stage(ask.Stage)
	w.freight = t.State.FreightByID(t.Effect.Pipeline, ask.Freight)
	if w.stage == nil || w.freight == nil {
		return w, promotion.Terminal(fmt.Errorf("%s or its freight is gone", promotion.StageRef(t.Effect.Pipeline, ask.Stage)))
	}
	return w, nil
}

// plannedAt reads the pipeline files of a pull request's head. They are parsed and
// their editing steps run over files in memory: they get no rights.
func (r *Runner) plannedAt(ctx context.Context, t promotion.Task, head string) (w what, err error) {
	files, err := r.repository(t.Repo).ReadFiles(ctx, head, pipelinePaths...)
	if err != nil {
		return w, fmt.Errorf("read the pipeline files of #%d: %w", t.Effect.Number, err)
	}
	set, _ := config.ParseAllWith(pipelineFiles(files), Check)
	if w.pipeline, w.stage = findStage(set.Pipelines, t.Effect.Preview.Stage); w.stage == nil {
		return w, promotion.Terminal(fmt.Errorf("the pipeline files of this pull request have no stage %s that can be read. Stages: %s",
			t.Effect.Preview.Stage, strings.Join(stagesOf(set.Pipelines), ", ")))
	}
	known := t.State.Pipelines[w.pipeline.Name]
	if known == nil {
		known = &promotion.PipelineState{}
	}
	for _, f := range slices.Backward(known.Freight) {
		if (t.Effect.Preview.Freight == "" || f.Matches(t.Effect.Preview.Freight)) && covers(f, w.pipeline) {
			w.freight = f
			return w, nil
		}
	}
	return w, promotion.Terminal(fmt.Errorf("no freight is known that has a version of every source of the pipeline %s", w.pipeline.Name))
}

// covers reports whether freight has an artifact of each source.
func covers(f *promotion.Freight, p *promotion.Pipeline) bool {
	return !slices.ContainsFunc(p.Sources, func(s promotion.Source) bool {
		_, ok := f.Artifact(s.Name)
		return !ok
	})
}

// findStage finds STAGE or PIPELINE/STAGE; without a pipeline the default one comes
// first.
func findStage(all map[string]*promotion.Pipeline, ref string) (*promotion.Pipeline, *promotion.Stage) {
	pipeline, name, qualified := cutStage(ref)
	if qualified {
		return all[pipeline], all[pipeline].Stage(name)
	}
	for _, each := range append([]string{promotion.DefaultPipeline}, slices.Sorted(maps.Keys(all))...) {
		if stage := all[each].Stage(ref); stage != nil {
			return all[each], stage
		}
	}
	return nil, nil
}

func stagesOf(all map[string]*promotion.Pipeline) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, s := range all[name].Stages {
			out = append(out, promotion.StageRef(name, s.Name))
		}
	}
	return out
}

// state is what happened so far, with the pipeline that the plan is made by.
func (w what) state(t promotion.Task) *promotion.State {
	s := *t.State
	s.Local.Config = map[string]*promotion.Pipeline{w.pipeline.Name: w.pipeline}
	return &s
}

// queue is the promotion that holds the stage, and how many wait for it.
func (w what) queue(s *promotion.State) (running string, ahead int) {
	if s.Pipelines[w.pipeline.Name] == nil {
		return "", 0
	}
	for _, p := range s.Pipelines[w.pipeline.Name].Promotions {
		switch {
		case p.Stage != w.stage.Name:
		case p.Phase.Started():
			running = p.Name
		case p.Phase == promotion.PhaseQueued:
			ahead++
		}
	}
	return running, ahead
}
