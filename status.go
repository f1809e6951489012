package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/server/status"
)

func statusCommand() *cobra.Command {
	var output outputFlag
	var where settingsFlags
	cmd := &cobra.Command{
		Use: "status OWNER/REPO", Short: "Show where a repository's promotions stand", Args: oneRepository,
		Long: `Show where a repository's promotions stand, from its tracking issue and its pipeline
files on GitHub. It needs the settings that serve needs, from the same variables or
file; no server need be running.`,
		Example: "  stagecoach status acme/gitops",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := statusOf(cmd, &where, args[0])
			if err != nil {
				return output.failed(cmd, err)
			}
			return output.print(cmd, s, s.Text())
		},
	}
	where.add(cmd)
	output.add(cmd)
	return cmd
}

func statusOf(cmd *cobra.Command, where *settingsFlags, repo string) (status.Status, error) {
	set, err := where.load()
	if err != nil {
		return status.Status{}, err
	}
	owner, name, _ := strings.Cut(repo, "/")
	return status.Read(cmd.Context(), set, version(), owner, name, nil)
}

// oneRepository takes one argument of the form OWNER/REPO.
func oneRepository(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("say which repository: stagecoach status OWNER/REPO")}
	}
	owner, name, ok := strings.Cut(args[0], "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return usageError{fmt.Errorf("%q is no repository: write OWNER/REPO, as in acme/gitops", args[0])}
	}
	return nil
}
