package egress

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The room's row: it imports nothing but the standard library.
func TestImports(t *testing.T) {
	deptest.Imports(t)
}
