package setup

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: it asks GitHub for an App, and doctor whether it is well.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/google/go-github/v57/github",
		"github.com/palantir/go-githubapp/githubapp",
		"go.yaml.in/yaml/v3",
		deptest.Ours+"config",
		deptest.Ours+"server/doctor",
	)
}
