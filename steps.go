//go:build !small

package main

// Steps whose libraries are large are linked here alone, so that all other
// packages, and their tests, are built without them. The build tag small leaves
// them out.
import (
	_ "github.com/stagecoach-app/stagecoach/gitops/step/helm"
	_ "github.com/stagecoach-app/stagecoach/gitops/step/kustomize"
)
