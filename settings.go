package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/config"
)

// settingsFlags say where the server's settings are, besides the environment.
type settingsFlags struct{ file, env string }

func (f *settingsFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "config", "", "a YAML `file` with the server's settings")
	f.addEnv(cmd)
}

func (f *settingsFlags) addEnv(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.env, "env-file", "", "a `file` of variables, such as setup writes; the environment wins")
}

// load reads all settings.
func (f *settingsFlags) load() (*config.Settings, error) {
	getenv, err := f.getenv()
	if err != nil {
		return nil, err
	}
	return config.Load(f.file, getenv, os.ReadFile)
}

// getenv is the environment over the file of variables.
func (f *settingsFlags) getenv() (func(string) string, error) {
	if f.env == "" {
		return os.Getenv, nil
	}
	content, err := os.ReadFile(f.env)
	if err != nil {
		return nil, fmt.Errorf("--env-file: %w", err)
	}
	vars, err := config.ReadEnv(f.env, content)
	if err != nil {
		return nil, err
	}
	return config.Over(os.Getenv, vars), nil
}
