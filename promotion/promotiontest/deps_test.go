package promotiontest_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: the core alone.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"promotion",
	)
}
