package ghsim_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The room imports nothing of ours and no client library that the product uses: both must not share a mistake.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/golang-jwt/jwt/v4",
		"github.com/rs/zerolog",
	)
}
