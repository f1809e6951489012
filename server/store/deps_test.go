package store_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: promotion, NATS, a compressor that NATS brings, and the log.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"promotion",
		"github.com/nats-io/nats.go/...",
		"github.com/klauspost/compress/zstd",
		"github.com/rs/zerolog",
	)
}
