package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/gitops/worktree"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/plan"
	"github.com/stagecoach-app/stagecoach/server/runner"
)

type planFlags struct {
	repo, stage, pipeline, file, ref, output string
	freight                                  []string
	write                                    bool
}

func planCommand() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use: "plan --repo DIR --stage NAME", Short: "Show what a promotion would change, offline", Args: noArgs,
		Long: `Run a stage's file-editing steps over the working tree of a local clone, without
any network, and print the unified diff of what they would change. Steps that
would reach outside (commit, push, pull request) are not run. --write applies
the changes to the working tree. The exit code is 1 when a step failed.`,
		Example: `  stagecoach plan --repo . --stage prod
  stagecoach plan --repo . --stage prod --freight app=3f9c2e1 --write`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			var usage usageError
			var reported reportedError
			if err != nil && f.output == "json" && !errors.As(err, &usage) && !errors.As(err, &reported) {
				out := outputFlag{"json"}
				_ = out.print(cmd, map[string]any{"steps": []plan.Step{}, "files": []worktree.Changed{}, "diff": "", "error": err.Error()}, "")
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.repo, "repo", ".", "the clone")
	flags.StringVar(&f.stage, "stage", "", "the stage (required)")
	flags.StringVar(&f.pipeline, "pipeline", "", "the pipeline; default the only one, or default")
	flags.StringVar(&f.file, "config", "", "a pipeline file to use instead of the clone's own")
	flags.StringArrayVar(&f.freight, "freight", nil, "NAME=VERSION of a source; may be given several times")
	flags.StringVar(&f.ref, "ref", "", "read this commit instead of the working tree")
	flags.BoolVar(&f.write, "write", false, "apply the changes to the working tree")
	flags.StringVar(&f.output, "output", "diff", "how to print: diff or json")
	return cmd
}

func (f *planFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	named, err := f.check()
	if err != nil {
		return err
	}
	pipeline, stage, err := f.load()
	if err != nil {
		return err
	}
	clone, err := worktree.Open(f.repo, f.ref)
	if err != nil {
		return err
	}
	tree := plan.Offline{Tree: clone}
	defer func() { _ = tree.Close() }()
	now := time.Now().UTC()
	branch := tree.DefaultBranch()
	freight, err := plan.Freight(ctx, tree, pipeline, branch, named, now)
	if err != nil {
		return err
	}
	done, err := plan.Run(ctx, plan.Request{
		Tree: tree, Repo: promotion.Repo{DefaultBranch: branch}, Pipeline: pipeline, Stage: stage, Freight: freight, Now: now,
	})
	if err != nil {
		return err
	}
	if f.write && done.OK() {
		if err := tree.Write(ctx); err != nil {
			return err
		}
	}
	if err := f.print(done, stdout, stderr); err != nil {
		return err
	}
	if !done.OK() {
		return reportedError{errors.New("a step did not succeed")}
	}
	return nil
}

// check refuses a command line that makes no sense, and takes --freight apart.
func (f *planFlags) check() (map[string]string, error) {
	if f.stage == "" {
		return nil, usageError{errors.New("say which stage: --stage NAME")}
	}
	if f.output != "diff" && f.output != "json" {
		return nil, usageError{fmt.Errorf("--output is %q: it must be diff or json", f.output)}
	}
	if f.write && f.ref != "" {
		return nil, usageError{errors.New("--write writes to the working tree, and --ref reads another commit: give one of them")}
	}
	named := map[string]string{}
	for _, pair := range f.freight {
		name, version, ok := strings.Cut(pair, "=")
		if !ok || name == "" || version == "" {
			return nil, usageError{fmt.Errorf("--freight is %q: it must be NAME=VERSION", pair)}
		}
		named[name] = version
	}
	return named, nil
}

// load reads the pipeline and finds the stage.
func (f *planFlags) load() (*promotion.Pipeline, *promotion.Stage, error) {
	files, err := f.files()
	if err != nil {
		return nil, nil, err
	}
	set, diagnostics := config.ParseAllWith(files, runner.Check)
	if config.HasErrors(diagnostics) {
		var all []string
		for _, d := range diagnostics {
			all = append(all, d.String())
		}
		return nil, nil, errors.New(strings.Join(all, "\n"))
	}
	p, err := pickPipeline(set.Pipelines, f.pipeline)
	if err != nil {
		return nil, nil, err
	}
	stage := p.Stage(f.stage)
	if stage == nil {
		var names []string
		for _, s := range p.Stages {
			names = append(names, s.Name)
		}
		hint := ""
		if near := promotion.Nearest(f.stage, names); near != "" {
			hint = fmt.Sprintf(" Did you mean %q?", near)
		}
		return nil, nil, fmt.Errorf("the pipeline %s has no stage %q.%s Stages: %s", p.Name, f.stage, hint, strings.Join(names, ", "))
	}
	return p, stage, nil
}

func (f *planFlags) files() (map[string][]byte, error) {
	if f.file == "" {
		files, err := pipelineFiles(f.repo)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("there is no pipeline file in %s: write .github/stagecoach.yml, or name one with --config", f.repo)
		}
		return files, err
	}
	content, err := os.ReadFile(f.file)
	if err != nil {
		return nil, err
	}
	at := filepath.ToSlash(f.file)
	if i := strings.LastIndex(at, ".github/"); i >= 0 {
		if _, ok := config.PipelineName(at[i:]); ok {
			return map[string][]byte{at[i:]: content}, nil
		}
	}
	return map[string][]byte{".github/stagecoach.yml": content}, nil
}

func pickPipeline(all map[string]*promotion.Pipeline, name string) (*promotion.Pipeline, error) {
	if name == "" && len(all) == 1 {
		for _, p := range all {
			return p, nil
		}
	}
	if name == "" {
		name = promotion.DefaultPipeline
	}
	if p := all[name]; p != nil {
		return p, nil
	}
	var names []string
	for n := range all {
		names = append(names, n)
	}
	return nil, fmt.Errorf("there is no pipeline %q: say --pipeline with one of %s", name, strings.Join(names, ", "))
}

func (f *planFlags) print(done *plan.Plan, stdout, stderr io.Writer) error {
	if f.output == "json" {
		return encode(stdout, done)
	}
	for i, s := range done.Steps {
		line := fmt.Sprintf("%d. %s: %s", i+1, s.Uses, s.Status)
		if s.Message != "" {
			line += ": " + ledger.OneLine(s.Message)
		}
		fmt.Fprintln(stderr, line)
	}
	if done.Diff == "" && done.OK() {
		fmt.Fprintln(stderr, "Nothing would change.")
	}
	diff := done.Diff
	if isTerminal(stdout) { // elsewhere it is for git apply, byte for byte
		diff = visible(diff)
	}
	_, err := io.WriteString(stdout, diff)
	return err
}
