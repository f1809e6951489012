package main

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: flags in, exit code out. Of ours config, server, gitops
// and promotion, with the rooms inside them; handlers only through server.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/rs/zerolog",
		"github.com/spf13/cobra",
		deptest.Ours+"config/...",
		deptest.Ours+"server/...",
		deptest.Ours+"gitops/...",
		deptest.Ours+"promotion/...",
	)
}
