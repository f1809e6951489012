package window_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: these of the standard library. It reads no clock.
func TestImports(t *testing.T) {
	deptest.Only(t, "errors", "fmt", "math", "regexp", "slices", "strings", "sync", "time", "time/tzdata")
	deptest.NoClock(t, "Now", "Since", "Until", "Local", "Sleep")
}
