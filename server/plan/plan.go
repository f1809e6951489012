package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/worktree"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/expr"
)

// Request says what to plan.
type Request struct {
	Tree     *worktree.Tree
	Repo     promotion.Repo // for expressions; may be empty
	Pipeline *promotion.Pipeline
	Stage    *promotion.Stage
	Freight  *promotion.Freight
	Now      time.Time

	state *promotion.State // what steps keep with freight and stages
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
	r.state = newState(r)
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
	if out.Files, err = r.Tree.Changes(); err != nil {
		return nil, err
	}
	if out.Files == nil {
		out.Files = []worktree.Changed{}
	}
	out.Diff, err = r.Tree.Diff(ctx)
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
			if err := r.clone(branch, config, st); err != nil {
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
		if err := r.state.SetMetadata(r.Pipeline.Name, done.Metadata); err != nil {
			st.Phase, st.Message = promotion.StepErrored, err.Error()
		}
	}
	return ""
}

// clone mounts commits of the clone. The stage's branch is the working tree.
func (r Request) clone(branch string, config json.RawMessage, st *promotion.StepState) error {
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
	r.Tree.Unmount()
	commits := map[string]string{}
	for _, out := range c.Checkout {
		at := path.Clean("./" + out.Path)
		ref := out.Commit + out.Tag
		if ref == "" && (out.Branch == "" || out.Branch == branch) {
			r.Tree.MountHome(at)
			continue
		}
		if ref == "" {
			ref = out.Branch
		}
		if err := r.Tree.MountCommit(at, ref); err != nil {
			return err
		}
		commits[at], _ = r.Tree.Resolve(ref) // it was just mounted
	}
	raw, err := json.Marshal(commits)
	st.Output = map[string]json.RawMessage{"commits": raw}
	st.Message = "the branch " + branch + " is the working tree; other commits are read from the clone"
	return err
}

func (r Request) env(p *promotion.Promotion) expr.Env {
	return expr.Env{
		Repo: r.Repo, Pipeline: r.Pipeline.Name, Stage: r.Stage.Name, Promotion: "plan", Branch: p.Plan.Branch, Freight: r.Freight, Now: r.Now,
		State: r.state,
	}
}

// newState is a state in which nothing has happened yet: what earlier promotions
// kept with freight and stages is known to the server alone.
func newState(r Request) *promotion.State {
	known := &promotion.PipelineState{}
	if r.Freight != nil {
		known.Freight = []*promotion.Freight{r.Freight}
	}
	return &promotion.State{
		Pipelines: map[string]*promotion.PipelineState{r.Pipeline.Name: known},
		Local:     promotion.Local{Config: map[string]*promotion.Pipeline{r.Pipeline.Name: r.Pipeline}},
	}
}

// Freight makes the freight of the versions that were named, and for git sources
// without one of what the clone's branch holds.
func Freight(tree *worktree.Tree, p *promotion.Pipeline, defaultBranch string, named map[string]string, now time.Time) (*promotion.Freight, error) {
	var artifacts []promotion.Artifact
	for _, src := range p.Sources {
		version := named[src.Name]
		delete(named, src.Name)
		a, err := artifact(tree, src, defaultBranch, version)
		if err != nil {
			return nil, err
		}
		artifacts = append(artifacts, a)
	}
	for name := range named {
		return nil, fmt.Errorf("--freight names the source %q, which the pipeline %s does not have", name, p.Name)
	}
	return promotion.NewFreight(artifacts, 1, now), nil
}

func artifact(tree *worktree.Tree, src promotion.Source, defaultBranch, version string) (promotion.Artifact, error) {
	if src.Git == nil || src.Git.Tags != nil {
		return named(tree, src, version)
	}
	branch := src.Git.Branch
	if branch == "" {
		branch = defaultBranch
	}
	a := promotion.Artifact{Source: src.Name, Kind: "git", Repo: src.Git.Repo, Branch: branch}
	if isSHA(version) {
		a.Commit = version
		return a, nil
	}
	for _, ref := range []string{version, branch, "HEAD"} {
		if ref == "" {
			continue
		}
		sha, err := tree.Resolve(ref)
		if err == nil {
			a.Commit = sha
			return a, nil
		}
		if ref == version {
			return a, fmt.Errorf("the source %s: %w", src.Name, err)
		}
	}
	return a, errors.New("the clone has no commit yet")
}

func isSHA(s string) bool { return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == "" }
