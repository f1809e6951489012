package step

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// composeOutput gives the members of its config as outputs.
func composeOutput(_ context.Context, _ Workspace, task Task) (Outcome, error) {
	var output map[string]json.RawMessage
	if err := decode(task, &output); err != nil {
		return Outcome{}, err
	}
	if len(output) == 0 {
		return Outcome{}, wrongConfig(task.Uses, "it has no output; give at least one, as a name and a value")
	}
	names := slices.Sorted(maps.Keys(output))
	return Outcome{Output: output, Message: fmt.Sprintf("Composed %s.", shorten(strings.Join(names, ", ")))}, nil
}
