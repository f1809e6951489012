//go:build !small

package step_test

import (
	_ "github.com/stagecoach-app/stagecoach/gitops/step/helm"
	_ "github.com/stagecoach-app/stagecoach/gitops/step/kustomize"
)
