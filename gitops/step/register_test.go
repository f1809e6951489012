package step_test

import (
	_ "github.com/stagecoach-app/stagecoach/gitops/step/kustomize"
)
