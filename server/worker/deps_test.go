package worker_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: the core and its expressions. What it reaches outside
// stands behind the interfaces of worker.go.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/hashicorp/golang-lru/v2",
		"github.com/rs/zerolog",
		deptest.Ours+"promotion",
		deptest.Ours+"promotion/expr",
	)
}
