//go:build !small

package docs_test

// The steps that packages of their own hold; the product links them in steps.go.
import (
	_ "github.com/stagecoach-app/stagecoach/gitops/step/helm"
	_ "github.com/stagecoach-app/stagecoach/gitops/step/kustomize"
)
