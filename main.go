// Command stagecoach carries changes through the stages of a GitOps repository.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes (DESIGN, section 7).
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is a command line that makes no sense.
type usageError struct{ error }

// reportedError is a failure that the output has said already.
type reportedError struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings given, so that a test can call it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var usage usageError
	var reported reportedError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "stagecoach: %s\nSee stagecoach --help.\n", visible(err.Error()))
		return exitUsage
	case errors.As(err, &reported):
		return exitFailed
	}
	fmt.Fprintf(stderr, "stagecoach: %s\n", visible(err.Error()))
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "stagecoach", Short: "Carry changes through the stages of a GitOps repository on GitHub",
		Long: `Stagecoach is a GitHub App that carries changes through the stages of a GitOps
repository: dev, staging, prod. People steer it on GitHub; this binary is the
server, and a few tools around it.

First time here? "stagecoach demo" plays everything on this machine, without an
account and without a network.`,
		SilenceErrors: true, SilenceUsage: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(commands()...)
	return root
}

// noArgs refuses words that no command expects, with the near miss that cobra finds.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	cmd.SuggestionsMinimumDistance = 2 // cobra sets it only where it looks itself
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", near[0])
	}
	return usageError{fmt.Errorf("there is no command or argument %q for %q%s", args[0], cmd.CommandPath(), hint)}
}

func commands() []*cobra.Command {
	return []*cobra.Command{serveCommand(), setupCommand(), demoCommand(), validateCommand(), planCommand(), statusCommand(), doctorCommand(), eventsCommand(), versionCommand()}
}

func versionCommand() *cobra.Command {
	var output outputFlag
	cmd := &cobra.Command{
		Use: "version", Short: "Say which version this is", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return output.print(cmd, map[string]string{"version": version()}, "stagecoach "+version()+"\n")
		},
	}
	output.add(cmd)
	return cmd
}

// version is what the build recorded: a tag, or the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
