package expr_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// This room may import promotion, expr-lang and semver; of the standard
// library nothing that reaches outside the process.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"promotion",
		"github.com/expr-lang/expr",
		"github.com/expr-lang/expr/ast",
		"github.com/expr-lang/expr/file",
		"github.com/expr-lang/expr/parser",
		"github.com/expr-lang/expr/vm",
		"github.com/expr-lang/expr/vm/runtime",
		"github.com/Masterminds/semver/v3",
	)
	deptest.Without(t, "os", "net", "net/http", "os/exec", "syscall", "unsafe")
}
