package step

import (
	"context"

	"github.com/stagecoach-app/stagecoach/gitops/step/jsonedit"
)

// updateJSON sets values of a JSON file. A key that is missing is made unless
// the update says otherwise, as in Kargo.
func updateJSON(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	parse := func(content []byte) (editor, error) { return jsonedit.Parse(content) }
	return updateFile(ctx, ws, task, format{parse: parse, text: jsonedit.Text, creates: true})
}
