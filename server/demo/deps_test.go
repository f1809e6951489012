package demo

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The demo may import every room of ours, but of outside modules only the
// logger: all else it does through the rooms.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/rs/zerolog",
		"github.com/stagecoach-app/stagecoach/...",
	)
}
