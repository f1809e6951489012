package eventlog_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: go-githubapp, NATS, and the log. Of ours its intake.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/palantir/go-githubapp/...",
		"github.com/nats-io/nats.go/...",
		"github.com/rs/zerolog/...",
		deptest.Ours+"server/eventlog/intake",
	)
}
