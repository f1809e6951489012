package servertest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package that uses this one, then removes what Build
// built and looks for goroutines that were left behind.
func Main(m *testing.M) {
	code := m.Run()
	removeBuilt()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
