package handlers_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: GitHub's words in, those of the core out.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"promotion",
		"github.com/google/go-github/v57/github",
		"github.com/palantir/go-githubapp/githubapp",
		"github.com/yuin/goldmark/...",
	)
}
