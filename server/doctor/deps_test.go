package doctor

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: it asks GitHub and the machine, and changes neither.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/google/go-github/v57/github",
		"github.com/palantir/go-githubapp/githubapp",
		deptest.Ours+"config",
		deptest.Ours+"handlers",
		deptest.Ours+"handlers/ghapi",
		deptest.Ours+"server/engine",
	)
}
