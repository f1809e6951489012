package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/expr"
)

// start runs an effect in a goroutine of its own, unless it runs already. Its
// intent is saved: it is in the state.
func (l *lane) start(ctx context.Context, e promotion.Effect) {
	if _, ok := l.running[e.ID]; ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.w.EffectTimeout)
	l.running[e.ID] = cancel
	task := l.task(e)
	go func() {
		r := l.carryOut(ctx, task)
		r.Effect = e.ID
		l.results <- r
	}()
}

// task puts together what the runner of an effect needs to know.
func (l *lane) task(e promotion.Effect) promotion.Task {
	t := promotion.Task{Effect: e, Repo: l.state.Repo, Pipeline: l.state.Local.Config[e.Pipeline], State: l.state}
	p := l.state.Promotion(e.Promotion)
	if p == nil {
		return t
	}
	t.Promotion = p
	t.Freight = l.state.FreightByID(p.Pipeline, p.Freight)
	if st := l.state.Pipelines[p.Pipeline].Stages[p.Stage]; st != nil && st.Current != nil {
		t.Before = l.state.FreightByID(p.Pipeline, st.Current.Freight)
	}
	return t
}

// carryOut runs one effect. A panic of a runner is that effect's error.
func (l *lane) carryOut(ctx context.Context, t promotion.Task) (r promotion.Result) {
	defer func() {
		if v := recover(); v != nil {
			r = promotion.Result{Err: promotion.Terminal(fmt.Errorf("a fault of ours: %v", v))}
		}
	}()
	if t.Effect.Cancelled {
		return promotion.Result{Err: promotion.ErrCancelled}
	}
	if t.Effect.Kind == promotion.KindStep {
		r = l.step(ctx, t)
	} else {
		r = l.w.Runner.Run(ctx, t)
	}
	if r.Err != nil && !errors.Is(r.Err, promotion.ErrStale) {
		zerolog.Ctx(ctx).Warn().Err(r.Err).Str("effect", t.Effect.ID).Msg("an effect did not succeed")
	}
	return r
}

// step runs a step: adopts what it recorded in an earlier life, else judges its
// `if`, evaluates its config, runs it, and records what it wrote.
func (l *lane) step(ctx context.Context, t promotion.Task) promotion.Result {
	p := t.Promotion
	if p == nil || t.Effect.Step >= len(p.Plan.Steps) {
		return promotion.Result{Err: promotion.Terminal(fmt.Errorf("the step of %s is unknown", t.Effect.ID))}
	}
	records, err := l.recordsOf(ctx, p)
	if err != nil {
		return promotion.Result{Err: err}
	}
	if i := slices.IndexFunc(records, func(r promotion.StepRecord) bool { return r.Step == t.Effect.Step }); i >= 0 {
		return records[i].Result
	}
	step := p.Plan.Steps[t.Effect.Step]
	t.Step, t.Records = &step, records
	run, err := l.evaluate(&t)
	if err != nil {
		return promotion.Result{Err: promotion.Terminal(err)}
	}
	if !run {
		return promotion.Result{Phase: promotion.StepSkipped, Message: "its `if` said no"}
	}
	r := l.w.Runner.Run(ctx, t)
	if r.Err != nil || !r.Phase.Finished() {
		return r
	}
	return l.record(ctx, t, r)
}

// evaluate judges the step's `if` and evaluates its config.
func (l *lane) evaluate(t *promotion.Task) (run bool, err error) {
	p := t.Promotion
	env := expr.Env{
		Repo: t.Repo, WebURL: l.w.WebURL, Pipeline: p.Pipeline, Stage: p.Stage, Promotion: p.Name, Branch: p.Plan.Branch,
		RequestedBy: p.RequestedBy, Freight: t.Freight, State: t.State, Now: p.StartedAt, // now() is the same whenever the step runs
	}
	if insert := l.w.Insert; insert != nil {
		env.Insert = func(key, before, after, value string) string { return insert(t.Step.Uses, key, before, after, value) }
	}
	run, t.Config, err = expr.Prepare(p.Plan, p.Steps, t.Effect.Step, configOf(t), env)
	return run, err
}

// recordsOf are what the promotion's finished steps wrote, from memory or the store.
func (l *lane) recordsOf(ctx context.Context, p *promotion.Promotion) ([]promotion.StepRecord, error) {
	l.recordsMu.Lock()
	known, ok := l.records[p.Name]
	l.recordsMu.Unlock()
	if ok && (len(known) == 0 || known[0].Attempt == p.Replays) {
		return known, nil
	}
	records, err := l.w.Store.Records(ctx, l.repo, p.Name, p.Replays)
	if err != nil {
		return nil, fmt.Errorf("read what the steps of %s wrote: %w", p.Name, err)
	}
	l.recordsMu.Lock()
	l.records[p.Name] = records
	l.recordsMu.Unlock()
	return records, nil
}

// record keeps what a step wrote before anybody hears of it. Steps on pull
// requests leave their trace on GitHub and need no record.
func (l *lane) record(ctx context.Context, t promotion.Task, r promotion.Result) promotion.Result {
	kind := promotion.KindOf(t.Step.Uses)
	if kind == nil || kind.Class == promotion.ClassGitHub {
		return r
	}
	rec := promotion.StepRecord{Promotion: t.Promotion.Name, Step: t.Effect.Step, Attempt: t.Promotion.Replays, Result: r}
	rec.Result.Effect = t.Effect.ID
	if err := l.w.Store.Record(ctx, l.repo, rec); err != nil {
		l.recordsMu.Lock()
		delete(l.records, t.Promotion.Name) // it may be there all the same: the next try reads it, and adopts it
		l.recordsMu.Unlock()
		return promotion.Result{Err: fmt.Errorf("record what step %d wrote: %w", t.Effect.Step+1, err)}
	}
	l.recordsMu.Lock()
	l.records[t.Promotion.Name] = append(slices.Clone(l.records[t.Promotion.Name]), rec)
	l.recordsMu.Unlock()
	return r
}
