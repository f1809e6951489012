package promotion_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: nothing but these of the standard library, which neither
// wait nor reach outside the process.
func TestImports(t *testing.T) {
	deptest.Only(t,
		"bytes", "cmp", "crypto/sha256", "encoding/hex", "encoding/json", "errors", "fmt", "maps", "path", "reflect", "regexp",
		"slices", "strconv", "strings", "time", "unicode", "unicode/utf8",
		deptest.Ours+"promotion/window",
	)
}

// The time is given to the core; it reads no clock and waits for none.
func TestNoClock(t *testing.T) {
	deptest.NoClock(t, "Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker")
	deptest.NoGoroutine(t)
}
