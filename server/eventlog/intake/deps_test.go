package intake

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// TestImports: this room stands on the standard library alone.
func TestImports(t *testing.T) {
	deptest.Imports(t)
}
