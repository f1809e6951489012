package page_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: the simulator, and rooms below this one.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"server/ghsim/...",
	)
}
