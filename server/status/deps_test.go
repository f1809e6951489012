package status

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: it reads what others can read, and draws it.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"config",
		deptest.Ours+"gitops",
		deptest.Ours+"handlers/ghapi",
		deptest.Ours+"promotion",
		deptest.Ours+"promotion/ledger",
		deptest.Ours+"server/runner",
	)
}
