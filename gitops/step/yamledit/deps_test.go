package yamledit_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The editor knows YAML and nothing of Stagecoach.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"go.yaml.in/yaml/v3",
	)
}
