package gitops_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// TestImports states this room's row of the rooms table.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"promotion",
		deptest.Ours+"internal/dirlock",
		"github.com/go-git/go-git/v5/...",
		"github.com/go-git/go-billy/v5/...",
		"github.com/rs/zerolog",
	)
}
