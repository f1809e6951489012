package servertest_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: the server and the simulated GitHub that it is tested against.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/palantir/go-githubapp/githubapp",
		"github.com/rs/zerolog",
		"go.uber.org/goleak",
		deptest.Ours+"config",
		deptest.Ours+"handlers",
		deptest.Ours+"handlers/ghapi",
		deptest.Ours+"promotion",
		deptest.Ours+"promotion/ledger",
		deptest.Ours+"server",
		deptest.Ours+"server/engine",
		deptest.Ours+"server/eventlog",
		deptest.Ours+"server/ghsim",
		deptest.Ours+"server/store",
		deptest.Ours+"server/worker",
	)
}
