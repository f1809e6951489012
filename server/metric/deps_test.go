package metric

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: the standard library.
func TestImports(t *testing.T) {
	deptest.Imports(t)
}
