package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server/runner"
)

func validateCommand() *cobra.Command {
	var output outputFlag
	cmd := &cobra.Command{
		Use: "validate [PATH]", Short: "Check pipeline files",
		Long: `Check the pipeline files of a repository (PATH is its folder, default the current
one), or one file. Each finding is printed as FILE:LINE:COL: MESSAGE. The exit
code is 1 when there is an error.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("validate takes one path, not %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "."
			if len(args) == 1 {
				path = args[0]
			}
			return validate(cmd, &output, path)
		},
	}
	output.add(cmd)
	return cmd
}

func validate(cmd *cobra.Command, output *outputFlag, path string) error {
	diagnostics, pipelines, err := diagnose(path)
	if err != nil {
		if output.json() {
			_ = output.print(cmd, []config.Diagnostic{{File: path, Severity: config.SeverityError, Message: err.Error()}}, "")
		}
		return err
	}
	var text strings.Builder
	for _, d := range diagnostics {
		fmt.Fprintln(&text, d.String())
	}
	if len(diagnostics) == 0 {
		fmt.Fprintf(&text, "%s: fine (%d pipelines)\n", path, pipelines)
		diagnostics = []config.Diagnostic{}
	}
	if err := output.print(cmd, diagnostics, text.String()); err != nil {
		return err
	}
	if config.HasErrors(diagnostics) {
		return reportedError{errors.New("there are errors")}
	}
	return nil
}

// diagnose checks a file or a folder.
func diagnose(path string) (found []config.Diagnostic, pipelines int, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	if !info.IsDir() {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, 0, err
		}
		_, found = config.ParseWith(path, content, runner.Check)
		return found, 1, nil
	}
	files, err := pipelineFiles(path)
	if err != nil {
		return nil, 0, err
	}
	if len(files) == 0 {
		return nil, 0, fmt.Errorf("there is no pipeline file in %s: write .github/stagecoach.yml or .github/stagecoach/NAME.yml", path)
	}
	set, found := config.ParseAllWith(files, runner.Check)
	return found, len(set.Pipelines) + len(set.Broken), nil
}

// pipelineFiles reads the pipeline files of a working tree, by their path in it.
func pipelineFiles(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, dir := range []string{".github", ".github/stagecoach"} {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			path := dir + "/" + e.Name()
			if _, ok := config.PipelineName(path); !ok || e.IsDir() {
				continue
			}
			content, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				return nil, err
			}
			files[path] = content
		}
	}
	return files, nil
}
