package step

import (
	"context"

	"github.com/stagecoach-app/stagecoach/gitops/step/tomledit"
)

// updateTOML sets values of a TOML file.
func updateTOML(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	parse := func(content []byte) (editor, error) { return tomledit.Parse(content) }
	return updateFile(ctx, ws, task, format{parse: parse, text: tomledit.Text})
}
