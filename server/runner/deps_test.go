package runner_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: git, the steps, and pipeline files. GitHub's API stands
// behind an interface.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"config",
		deptest.Ours+"gitops",
		deptest.Ours+"gitops/egress",
		deptest.Ours+"gitops/step",
		deptest.Ours+"gitops/worktree",
		deptest.Ours+"promotion",
		deptest.Ours+"promotion/expr",
		deptest.Ours+"promotion/ledger", // a commit's message is a text that people read
		deptest.Ours+"server/plan",
		deptest.Ours+"server/registry",
		deptest.Ours+"server/registry/tag",
		"golang.org/x/time/rate",
	)
}
