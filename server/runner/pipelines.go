package runner

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/expr"
	"github.com/stagecoach-app/stagecoach/server/registry/tag"
)

// pipelinePaths are where pipeline files stand.
var pipelinePaths = []string{".github/stagecoach.yml", ".github/stagecoach.yaml", ".github/stagecoach/"}

// Check judges pipeline files by everything that is known without GitHub.
var Check = config.Options{CheckExpression: expr.Check, CheckCondition: expr.CheckCondition, CheckDocument: expr.CheckDocument, CheckConstraint: tag.CheckConstraint}

// Read reads the pipeline files at a commit of the default branch; "": at its
// tip now. What cannot be read is an error, never an absent pipeline.
func (r *Runner) Read(ctx context.Context, repo promotion.Repo, sha string) (promotion.ConfigRead, error) {
	in := promotion.ConfigRead{SHA: sha}
	git := r.repository(repo)
	if sha == "" {
		refs, err := git.Refs(ctx)
		if err != nil {
			return in, fmt.Errorf("list the branches of %s: %w", repo.FullName(), err)
		}
		in.Branch, in.Tips = refs.Default, refs.Heads
		if in.Branch == "" {
			in.Branch = repo.DefaultBranch
		}
		if in.SHA = refs.Heads[in.Branch]; in.SHA == "" {
			return in, nil // an empty repository
		}
	}
	files, err := git.ReadFiles(ctx, in.SHA, pipelinePaths...)
	if err != nil {
		return in, fmt.Errorf("read the pipeline files of %s at %s: %w", repo.FullName(), in.SHA, err)
	}
	set, _ := config.ParseAllWith(pipelineFiles(files), Check)
	in.Pipelines, in.Broken = set.Pipelines, set.Broken
	return in, nil
}

func pipelineFiles(files map[string]gitops.File) map[string][]byte {
	out := map[string][]byte{}
	for path, f := range files {
		if _, ok := config.PipelineName(path); ok {
			out[path] = f.Content
		}
	}
	return out
}

// configCheck says on a pull request whether the pipeline files in it can be
// read. One that does not change them gets no check.
func (r *Runner) configCheck(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	git := r.repository(t.Repo)
	head, err := git.ReadFiles(ctx, t.Effect.SHA, pipelinePaths...)
	if err != nil {
		return promotion.Result{}, fmt.Errorf("read the pipeline files of #%d: %w", t.Effect.Number, err)
	}
	base, err := git.ReadFiles(ctx, t.State.Local.Tips[t.Effect.Branch], pipelinePaths...)
	if err != nil {
		return promotion.Result{}, fmt.Errorf("read the pipeline files of %s: %w", t.Effect.Branch, err)
	}
	ours, theirs := pipelineFiles(base), pipelineFiles(head)
	if sameFiles(ours, theirs) {
		return promotion.Result{}, nil
	}
	set, diagnostics := config.ParseAllWith(theirs, Check)
	problems := make([]promotion.Problem, len(diagnostics))
	for i, d := range diagnostics {
		problems[i] = promotion.Problem{Text: d.Message, File: d.File, Line: d.Line, Column: d.Column, Suggestion: d.Suggestion}
	}
	return r.GitHub.ConfigCheck(ctx, t, problems, set.Pipelines), nil
}

func sameFiles(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for path, content := range a {
		if other, ok := b[path]; !ok || !bytes.Equal(content, other) {
			return false
		}
	}
	return true
}

// cutStage takes PIPELINE/STAGE apart.
func cutStage(ref string) (pipeline, stage string, qualified bool) {
	return strings.Cut(ref, "/")
}
