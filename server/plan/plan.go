package plan

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/worktree"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/expr"
)

// Tree is where the steps of a plan work. Its home is what they would change: the
// working tree of a clone, or the tip of the stage's branch.
type Tree interface {
	step.Workspace
	// Unmount leaves nothing mounted, and nothing edited there.
	Unmount(ctx context.Context) error
	MountHome(ctx context.Context, at string) error
	// MountCommit mounts a commit, a branch or a tag beside it.
	MountCommit(ctx context.Context, at, ref string) error
	// MountOther mounts what a checkout of another repository names, to read. An error
	// that is step.ErrOffline says that it is not read here.
	MountOther(ctx context.Context, repoURL string, c Checkout) (sha string, err error)
	// Own reports whether an address is that of the pipeline's own repository.
	Own(repoURL string) bool
	// Resolve is the commit that a ref names.
	Resolve(ctx context.Context, ref string) (sha string, err error)
	// Mounts are the checkouts, sorted by path.
	Mounts() []promotion.Mount
	// Changes are the files of the home that differ, sorted by path.
	Changes(ctx context.Context) ([]worktree.Changed, error)
}

// Request says what to plan.
type Request struct {
	Tree     Tree
	Repo     promotion.Repo // for expressions; may be empty
	WebURL   string         // of GitHub, for expressions; may be empty
	By       string         // login of who asks, for expressions; may be empty
	Pipeline *promotion.Pipeline
	Stage    *promotion.Stage
	Freight  *promotion.Freight
	Now      time.Time
	// State is what happened so far, with what steps kept; nil: nothing. It is not changed.
	State *promotion.State

	absent *absent
}

// Checkout is what git-clone mounts at a path: of branch, commit and tag at most one
// is set.
type Checkout struct{ Path, As, Branch, Commit, Tag string }

// Step is what came of one step.
type Step struct {
	Uses    string                     `json:"uses"`
	As      string                     `json:"as"`
	Status  string                     `json:"status"` // succeeded, skipped, failed, errored, not-run
	Message string                     `json:"message"`
	Output  map[string]json.RawMessage `json:"output"`
}

// Plan is what a promotion would change.
type Plan struct {
	Steps []Step             `json:"steps"`
	Files []worktree.Changed `json:"files"`
	Diff  string             `json:"diff"`
}

// OK reports whether no step failed or errored.
func (p *Plan) OK() bool {
	return !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Status == "failed" || s.Status == "errored" })
}

// NotRun is the status of a step that would reach outside.
const NotRun = "not-run"

// Run runs the steps over the tree, in memory. A step that does not succeed is
// told in the plan; the error is for what is wrong with the clone itself.
func Run(ctx context.Context, r Request) (*Plan, error) {
	work := promotion.NewPlan(r.Pipeline, r.Stage, r.Repo.DefaultBranch)
	p := &promotion.Promotion{Plan: work, Steps: make([]promotion.StepState, len(work.Steps))}
	r.State = stateFor(r)
	r.absent = &absent{Tree: r.Tree, repos: map[string]string{}}
	out := &Plan{Files: []worktree.Changed{}, Steps: []Step{}}
	for i := range work.Steps {
		status := r.step(ctx, p, i)
		st := p.Steps[i]
		if status == "" {
			status = string(st.Phase)
		}
		output := st.Output
		if output == nil {
			output = map[string]json.RawMessage{}
		}
		out.Steps = append(out.Steps, Step{Uses: work.Steps[i].Uses, As: work.Steps[i].As, Status: status, Message: st.Message, Output: output})
	}
	var err error
	if out.Files, err = r.Tree.Changes(ctx); err != nil {
		return nil, err
	}
	if out.Files == nil {
		out.Files = []worktree.Changed{}
	}
	out.Diff, err = worktree.Diff(ctx, out.Files)
	return out, err
}

// step runs one step and notes its state. The status is empty when the state's
// phase says it.
func (r Request) step(ctx context.Context, p *promotion.Promotion, i int) string {
	s, st := p.Plan.Steps[i], &p.Steps[i]
	if s.If == "" && promotion.Outcome(p) != promotion.StepSucceeded {
		st.Phase, st.Message = promotion.StepSkipped, "an earlier step did not succeed"
		return ""
	}
	run, config, err := expr.Prepare(p.Plan, p.Steps, i, s.Config, r.env(p))
	switch {
	case err != nil:
		st.Phase, st.Message = promotion.StepErrored, err.Error()
		return ""
	case !run:
		st.Phase, st.Message = promotion.StepSkipped, "its `if` said no"
		return ""
	}
	if s.Uses == usesClone {
		return r.clone(ctx, p, config, st)
	}
	return r.run(ctx, s, st, config)
}

func (r Request) run(ctx context.Context, s promotion.Step, st *promotion.StepState, config json.RawMessage) string {
	kind := promotion.KindOf(s.Uses)
	if kind != nil && kind.Class != promotion.ClassEdit {
		st.Phase, st.Message = promotion.StepSucceeded, "would reach outside"
		return NotRun
	}
	done, err := step.Run(ctx, r.absent.tree(), step.Task{Uses: s.Uses, Config: config, Freight: r.Freight})
	switch {
	case err != nil && r.absent.missed != "":
		st.Phase, st.Message = promotion.StepSucceeded, r.absent.missed
		return NotRun
	case errors.Is(err, step.ErrOffline):
		st.Phase, st.Message = promotion.StepSucceeded, err.Error()
		return NotRun
	case err != nil:
		st.Phase, st.Message = promotion.StepErrored, err.Error()
	case done.Failed:
		st.Phase, st.Message, st.Output = promotion.StepFailed, done.Message, done.Output
	default:
		st.Phase, st.Message, st.Output = promotion.StepSucceeded, done.Message, done.Output
		if err := r.State.SetMetadata(r.Pipeline.Name, done.Metadata); err != nil {
			st.Phase, st.Message = promotion.StepErrored, err.Error()
		}
	}
	return ""
}

func (r Request) env(p *promotion.Promotion) expr.Env {
	return expr.Env{
		Repo: r.Repo, WebURL: r.WebURL, Pipeline: r.Pipeline.Name, Stage: r.Stage.Name, Promotion: "plan", Branch: p.Plan.Branch,
		RequestedBy: r.By, Freight: r.Freight, Now: r.Now, State: r.State,
	}
}
