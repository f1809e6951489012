package sweep

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: it decides what to ask for and when, and leaves the rest to
// whoever fills its options.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/rs/zerolog",
		"golang.org/x/time/rate",
		deptest.Ours+"handlers/ghapi",
		deptest.Ours+"promotion",
		deptest.Ours+"server/store",
	)
}
