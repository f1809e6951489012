package step

import (
	"context"

	"github.com/stagecoach-app/stagecoach/gitops/step/hcledit"
)

// updateHCL sets values of an HCL file.
func updateHCL(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	parse := func(content []byte) (editor, error) { return hcledit.Parse(content) }
	return updateFile(ctx, ws, task, format{parse: parse, text: hcledit.Text})
}
