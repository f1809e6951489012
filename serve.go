package main

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server"
)

// stopWithin is how long a stop may take before what is under way is cut off;
// the next start takes it up.
const stopWithin = 30 * time.Second

func serveCommand() *cobra.Command {
	var where settingsFlags
	var level string
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the server", Args: noArgs,
		Long: `Run the server: it takes GitHub's webhooks at POST /api/github/hook and carries
promotions forward. Settings come from a YAML file (--config), a file of
variables such as setup writes (--env-file), and from the environment, which wins;
each variable may be given as NAME_FILE, the path of a file that holds the value.

  GITHUB_APP_INTEGRATION_ID   the App's ID (required)
  GITHUB_APP_PRIVATE_KEY      its private key, as PEM text (required)
  GITHUB_APP_WEBHOOK_SECRET   the secret that signs webhooks (required)
  GITHUB_WEB_URL, GITHUB_V3_API_URL, GITHUB_V4_API_URL   default: github.com's
  STAGECOACH_ADDR             where to listen, default :8080
  STAGECOACH_DATA_DIR         default ./data
  STAGECOACH_CACHE_SIZE       what cached clones may take on disk, default 10GiB
  STAGECOACH_NATS_URL         an existing NATS cluster; default: embedded
  STAGECOACH_LEDGER_KEY       signs the tracking issues; default: derived from the webhook secret
  STAGECOACH_OLD_WEBHOOK_SECRETS, STAGECOACH_METRICS_TOKEN, STAGECOACH_METRICS_STAGES=off, STAGECOACH_PUBLIC_URL,
  STAGECOACH_ALLOW_HOSTS, STAGECOACH_REMOTE_BASES, STAGECOACH_PACE=off, GITHUB_OAUTH_CLIENT_ID, GITHUB_OAUTH_CLIENT_SECRET`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lvl, err := zerolog.ParseLevel(level)
			if err != nil {
				return usageError{fmt.Errorf("--log-level is %q: it must be debug, info, warn or error", level)}
			}
			settings, err := where.load()
			if err != nil {
				return err
			}
			log := zerolog.New(cmd.ErrOrStderr()).Level(lvl).With().Timestamp().Logger()
			return serve(cmd.Context(), settings, log)
		},
	}
	where.add(cmd)
	cmd.Flags().StringVar(&level, "log-level", "info", "debug, info, warn or error")
	return cmd
}

// serve runs until ctx ends, then stops in good order.
func serve(ctx context.Context, settings *config.Settings, log zerolog.Logger) error {
	s, err := server.New(ctx, server.Config{Settings: settings, Version: version(), Log: log})
	if err != nil {
		return err
	}
	s.Start()
	log.Info().Str("addr", s.Addr().String()).Str("version", version()).Interface("settings", settings).Msg("serving")
	select {
	case <-ctx.Done():
		log.Info().Msg("stopping; what is under way is finished or taken up at the next start")
	case <-s.Ended():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	failed := s.Err()
	if err := s.Stop(stopping); err != nil && failed == nil {
		return fmt.Errorf("stop: %w", err)
	}
	return failed
}
