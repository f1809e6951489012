package model_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: the core, the windows of its gates, and what its tests share.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"promotion",
		deptest.Ours+"promotion/promotiontest",
		deptest.Ours+"promotion/window",
	)
}
