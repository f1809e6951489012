package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server/doctor"
)

func doctorCommand() *cobra.Command {
	var output outputFlag
	var file string
	cmd := &cobra.Command{
		Use: "doctor", Short: "Look for what keeps the server from working, and say how to mend it", Args: noArgs,
		Long: `Look at everything that the server needs: settings, GitHub's address and clock, the
App's credentials, permissions, events and webhook, its installations, what became of
the last deliveries, the server itself, its data directory and engine. It changes
nothing, and may run beside the server. Give it the settings that serve gets.

It ends with 1 when something is wrong; warnings alone are no failure.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report := examine(cmd, file)
			if err := output.print(cmd, report, report.Text()); err != nil {
				return err
			}
			if !report.OK {
				return reportedError{errors.New("something is wrong")}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "a YAML file with the server's settings")
	output.add(cmd)
	return cmd
}

func examine(cmd *cobra.Command, file string) doctor.Report {
	set, err := config.Load(file, os.Getenv, os.ReadFile)
	if err != nil {
		return doctor.Failed(err)
	}
	return doctor.Run(cmd.Context(), doctor.Options{Settings: set, Version: version()})
}
