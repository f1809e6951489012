package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/server/demo"
)

func demoCommand() *cobra.Command {
	var output outputFlag
	opts := demo.Options{Version: version()}
	cmd := &cobra.Command{
		Use: "demo", Short: "Play everything on this machine, without an account", Args: noArgs,
		Long: `Start a simulated GitHub with a sample GitOps repository, and beside it the same
server that "serve" runs. A change goes to dev by itself and opens a pull request
for staging; you merge it in the browser, and comment /promote prod. No account
and no network is needed, and nothing leaves this machine.

With --repo it is played in a copy of a git repository of yours, all branches
included, with the pipeline file that is committed in it. The repository itself
is only read. Without a pipeline file you are told what one could look like.

With --exit the people are played too: octocat changes the sample's app, merges
each promotion's pull request, and comments /promote for each manual stage as
soon as what is before it has the change. The exit code is 0 only if in the end
every stage of every pipeline holds the newest change, which is looked up in git.
It takes 28 seconds at most.

--output json prints {"ok","promotions":[{"name","pipeline","stage","phase","commit",
"pullRequest","reads","notModified","writes","fetches","pushes"}]}, and "error" when
not all is well. A request counts for the promotion that it names: by its name, its
branch, its pull request, its check run or its commit. One that names none (a fetch,
the tracking issue, the answer to a command) counts for the promotion that was
named last or, if none was since a person did something, for the one named next.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return playDemo(cmd, &output, opts) },
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Repo, "repo", "", "play in a copy of this git repository instead of the sample")
	flags.BoolVar(&opts.Exit, "exit", false, "play the people too, and end")
	flags.StringVar(&opts.Addr, "addr", "", "where the simulated GitHub listens, default a free port of 127.0.0.1")
	flags.StringVar(&opts.Keep, "keep", "", "keep all data in this directory; the demo goes on there the next time")
	output.add(cmd)
	return cmd
}

func playDemo(cmd *cobra.Command, output *outputFlag, opts demo.Options) error {
	opts.Out = cmd.OutOrStdout()
	if output.json() {
		opts.Out = cmd.ErrOrStderr()
	}
	opts.Color = colored(opts.Out)
	report, err := demo.Run(cmd.Context(), opts)
	if example, missing := demo.IsMissingConfig(err); missing && !output.json() {
		fmt.Fprint(cmd.OutOrStdout(), example) // the error on stderr says what it is
	}
	if output.json() || opts.Exit && len(report.Promotions) > 0 {
		err = errors.Join(err, output.print(cmd, report, "\n"+report.Table()))
	}
	return err
}

// colored reports whether w is a terminal that wants colours
// (https://no-color.org).
func colored(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
