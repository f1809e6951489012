package dashboard_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: it reads the store, and shows what the ledger says.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/hashicorp/golang-lru/v2",
		"github.com/rs/zerolog",
		deptest.Ours+"promotion",
		deptest.Ours+"promotion/ledger",
		deptest.Ours+"server/flowchart",
		deptest.Ours+"server/store",
		"github.com/yuin/goldmark",
		"github.com/yuin/goldmark/ast",
		"github.com/yuin/goldmark/text",
		"golang.org/x/time/rate",
	)
}
