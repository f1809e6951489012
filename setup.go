package main

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/server/doctor"
	"github.com/stagecoach-app/stagecoach/server/setup"
)

// appManifest is what the App is registered with.
//
//go:embed app.yml
var appManifest []byte

func setupCommand() *cobra.Command {
	var output outputFlag
	var toStdout, noBrowser bool
	opts := setup.Options{Manifest: appManifest, Version: version()}
	cmd := &cobra.Command{
		Use: "setup", Short: "Register the GitHub App in a browser, or mend its registration", Args: noArgs,
		Long: `Register the GitHub App: your browser leads you to GitHub, where you see what the App
may do, and agree. Its credentials come back to this machine, into a file that serve
reads (--env-file), with mode 0600; --print writes them to standard output instead,
for a secret store. GitHub shows them this once.

Run again with the same file, it looks at the App that is there: it sets the webhook's
address and secret anew, takes the file from others who could read it, and says which
permissions and events only you can add, and where. It ends with 1 when there are any.`,
		Example: `  stagecoach setup --public-url https://promote.example.com --org acme
  stagecoach setup --public-url https://promote.example.com --github-url https://github.example.com
  stagecoach setup --public-url https://promote.example.com --print | vault kv put secret/stagecoach env=-`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Out = cmd.ErrOrStderr()
			if toStdout {
				if output.json() {
					return usageError{errors.New("--print writes variables: it does not go with --output json")}
				}
				opts.Print = cmd.OutOrStdout()
			}
			if !noBrowser {
				opts.Open = setup.Browse
			}
			return runSetup(cmd, &output, opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.PublicURL, "public-url", "", "where GitHub reaches the server, like https://promote.example.com")
	flags.StringVar(&opts.Org, "org", "", "the organization that will own the App; default: your own account")
	flags.StringVar(&opts.WebURL, "github-url", "", "a GitHub of your own, like https://github.example.com; default: github.com")
	flags.StringVar(&opts.Name, "name", "", "the App's name; GitHub takes each one once")
	flags.StringVar(&opts.File, "file", "stagecoach.env", "where the credentials go")
	flags.BoolVar(&toStdout, "print", false, "write the credentials to standard output, and into no file")
	flags.BoolVar(&noBrowser, "no-browser", false, "start no browser, only say where to go")
	flags.StringVar(&opts.Listen, "listen", "", "where the page for your browser is; default: a free port of 127.0.0.1")
	output.add(cmd)
	return cmd
}

func runSetup(cmd *cobra.Command, output *outputFlag, opts setup.Options) error {
	result, err := setup.Run(cmd.Context(), opts)
	var option setup.OptionError
	switch {
	case errors.As(err, &option):
		return usageError{output.failed(cmd, err)}
	case err != nil:
		return output.failed(cmd, err)
	}
	if opts.Print != nil { // standard output holds the credentials alone
		fmt.Fprint(cmd.ErrOrStderr(), setupText(result))
	} else if err := output.print(cmd, result, setupText(result)); err != nil {
		return err
	}
	if !result.OK {
		return reportedError{errors.New("something is left for the App's owner")}
	}
	return nil
}

func setupText(r setup.Result) string {
	var b strings.Builder
	if len(r.Checks) == 0 {
		fmt.Fprintf(&b, "✅ The App %s is registered: %s\n", r.App, r.URL)
		if r.File != "" {
			fmt.Fprintf(&b, "✅ Its credentials are in %s, for you alone to read.\n", r.File)
		}
	}
	for _, change := range r.Changed {
		fmt.Fprintf(&b, "✅ Mended: %s.\n", change)
	}
	b.WriteString(doctor.Lines(r.Checks))
	b.WriteString("\nNext:\n")
	for i, step := range r.Next {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, step)
	}
	return b.String()
}
