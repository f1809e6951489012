package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/server/doctor"
)

func doctorCommand() *cobra.Command {
	var output outputFlag
	var where settingsFlags
	cmd := &cobra.Command{
		Use: "doctor", Short: "Look for what keeps the server from working, and say how to mend it", Args: noArgs,
		Long: `Look at everything that the server needs: settings, GitHub's address and clock, the
App's credentials, permissions, events and webhook, its installations, what became of
the last deliveries, the server itself, its data directory and engine. It changes
nothing, and may run beside the server. Give it the settings that serve gets.

It ends with 1 when something is wrong; warnings alone are no failure.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report := examine(cmd, &where)
			if err := output.print(cmd, report, report.Text()); err != nil {
				return err
			}
			if !report.OK {
				return reportedError{errors.New("something is wrong")}
			}
			return nil
		},
	}
	where.add(cmd)
	output.add(cmd)
	return cmd
}

func examine(cmd *cobra.Command, where *settingsFlags) doctor.Report {
	set, err := where.load()
	if err != nil {
		return doctor.Failed(err)
	}
	return doctor.Run(cmd.Context(), doctor.Options{Settings: set, Version: version()})
}
