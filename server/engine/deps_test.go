package engine

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: NATS, the log, and the lock of directories.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/nats-io/nats.go/...",
		"github.com/nats-io/nats-server/v2/...",
		"github.com/rs/zerolog",
		deptest.Ours+"internal/dirlock",
	)
}
