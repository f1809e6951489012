package worktree

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// TestImports holds this room's row of docs/architecture.md.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"gitops/step",
		deptest.Ours+"promotion",
		"github.com/go-git/go-git/v5/...",
	)
}
