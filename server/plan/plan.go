package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
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
	// Resolve is the commit that a ref names.
	Resolve(ctx context.Context, ref string) (sha string, err error)
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
}

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
	return r.run(ctx, p.Plan.Branch, s, st, config)
}

func (r Request) run(ctx context.Context, branch string, s promotion.Step, st *promotion.StepState, config json.RawMessage) string {
	kind := promotion.KindOf(s.Uses)
	if kind != nil && kind.Class != promotion.ClassEdit {
		st.Phase = promotion.StepSucceeded
		if s.Uses == "git-clone" {
			if err := r.clone(ctx, branch, config, st); err != nil {
				st.Phase, st.Message = promotion.StepErrored, err.Error()
			}
			return ""
		}
		st.Message = "would reach outside"
		return NotRun
	}
	done, err := step.Run(ctx, r.Tree, step.Task{Uses: s.Uses, Config: config, Freight: r.Freight})
	switch {
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

// clone mounts commits of the clone. The stage's branch is the working tree.
func (r Request) clone(ctx context.Context, branch string, config json.RawMessage, st *promotion.StepState) error {
	var c struct {
		RepoURL  string
		Checkout []struct {
			Path, Branch, Commit, Tag string
			Create                    bool
		}
	}
	if err := json.Unmarshal(config, &c); err != nil {
		return fmt.Errorf("the config of git-clone: %w", err)
	}
	if err := r.Tree.Unmount(ctx); err != nil {
		return err
	}
	commits := map[string]string{}
	for _, out := range c.Checkout {
		at := path.Clean("./" + out.Path)
		ref := out.Commit + out.Tag
		if ref == "" && (out.Branch == "" || out.Branch == branch) {
			if err := r.Tree.MountHome(ctx, at); err != nil {
				return err
			}
			continue
		}
		if ref == "" {
			ref = out.Branch
		}
		if err := r.Tree.MountCommit(ctx, at, ref); err != nil {
			return err
		}
		commits[at], _ = r.Tree.Resolve(ctx, ref) // it was just mounted
	}
	raw, err := json.Marshal(commits)
	st.Output = map[string]json.RawMessage{"commits": raw}
	st.Message = "the branch " + branch + " is the working tree; other commits are read from the clone"
	return err
}

func (r Request) env(p *promotion.Promotion) expr.Env {
	return expr.Env{
		Repo: r.Repo, WebURL: r.WebURL, Pipeline: r.Pipeline.Name, Stage: r.Stage.Name, Promotion: "plan", Branch: p.Plan.Branch,
		RequestedBy: r.By, Freight: r.Freight, Now: r.Now, State: r.State,
	}
}
