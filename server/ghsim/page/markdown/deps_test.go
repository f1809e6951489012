package markdown_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: goldmark, bluemonday, and the drawing of flowcharts.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/yuin/goldmark/...",
		"github.com/microcosm-cc/bluemonday/...",
		deptest.Ours+"server/flowchart",
	)
}
