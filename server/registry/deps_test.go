package registry_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: the core's words, the guard of connections, and what it
// takes to talk to registries.
func TestImports(t *testing.T) {
	allowed := []string{
		"github.com/Masterminds/semver/v3",
		"github.com/google/go-containerregistry/pkg/authn",
		"github.com/google/go-containerregistry/pkg/name",
		"github.com/google/go-containerregistry/pkg/v1",
		"github.com/google/go-containerregistry/pkg/v1/remote",
		"github.com/google/go-containerregistry/pkg/v1/remote/transport",
		"github.com/hashicorp/golang-lru/v2",
		deptest.Ours + "gitops/egress",
		deptest.Ours + "promotion",
		deptest.Ours + "server/registry/tag",
		"go.yaml.in/yaml/v3",
	}
	deptest.Imports(t, allowed...)
	deptest.ImportsIn(t, "tag", allowed...)
}
