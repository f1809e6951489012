package ghapi_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: the core's effects, and what it takes to do them over the API.
// go-metrics is the registry that go-githubapp counts in.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		deptest.Ours+"promotion",
		deptest.Ours+"promotion/ledger",
		"github.com/google/go-github/v57/github",
		"github.com/palantir/go-githubapp/githubapp",
		"github.com/bradleyfalzon/ghinstallation/v2",
		"github.com/golang-jwt/jwt/v4", // to sign by GitHub's clock what ghinstallation signs by ours
		"github.com/gregjones/httpcache",
		"github.com/hashicorp/golang-lru/v2/...",
		"github.com/rcrowley/go-metrics",
		"github.com/rs/zerolog",
		"golang.org/x/time/rate",
	)
}
