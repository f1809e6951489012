package main

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The row of this room: every room of ours, and of others what the product is measured
// against.
func TestImports(t *testing.T) {
	deptest.Imports(t,
		"github.com/stagecoach-app/stagecoach/...",
		"github.com/palantir/go-githubapp/githubapp",
		"github.com/nats-io/nats.go/jetstream",
		"go.yaml.in/yaml/v3",
		"helm.sh/helm/v4/...",
		"sigs.k8s.io/kustomize/...",
	)
}
