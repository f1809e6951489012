package server_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: it wires the others together, and speaks HTTP.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/google/go-github/v57/github",
		"github.com/palantir/go-githubapp/githubapp",
		"github.com/rcrowley/go-metrics",
		"github.com/rs/zerolog",
		deptest.Ours+"config",
		deptest.Ours+"gitops",
		deptest.Ours+"gitops/egress",
		deptest.Ours+"handlers",
		deptest.Ours+"handlers/ghapi",
		deptest.Ours+"promotion",
		deptest.Ours+"promotion/ledger",
		deptest.Ours+"server/dashboard",
		deptest.Ours+"server/engine",
		deptest.Ours+"server/eventlog",
		deptest.Ours+"server/metric",
		deptest.Ours+"server/registry",
		deptest.Ours+"server/runner",
		deptest.Ours+"server/store",
		deptest.Ours+"server/sweep",
		deptest.Ours+"server/worker",
	)
}
