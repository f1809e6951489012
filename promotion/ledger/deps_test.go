package ledger

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: besides the standard library it imports promotion alone,
// and of the standard library nothing that waits or reaches outside.
func TestImports(t *testing.T) {
	deptest.Imports(t, deptest.Ours+"promotion")
	deptest.Without(t, "os", "net", "net/http", "context", "sync", "math/rand", "math/rand/v2", "crypto/rand")
}
