package config_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// This room may import promotion, its windows and a YAML parser; of the standard library
// nothing that reaches outside the process (net only takes addresses apart).
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"promotion",
		deptest.Ours+"promotion/window",
		"go.yaml.in/yaml/v3",
	)
	deptest.Without(t, "os", "net/http", "os/exec", "syscall", "unsafe")
}
