package step

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

type metadataConfig struct {
	Updates []promotion.MetadataUpdate `json:"updates"`
}

// setMetadata asks for metadata to be kept. Whether there are such freight and
// stages, and whether it fits, is known to who keeps it.
func setMetadata(_ context.Context, _ Workspace, task Task) (Outcome, error) {
	var cfg metadataConfig
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	var said []string
	for _, u := range cfg.Updates {
		keys := strings.Join(slices.Sorted(maps.Keys(u.Values)), ", ")
		said = append(said, fmt.Sprintf("%s of the %s %s", keys, strings.ToLower(u.Kind), u.Name))
	}
	return Outcome{Metadata: cfg.Updates, Message: fmt.Sprintf("Set %s.", shorten(strings.Join(said, "; ")))}, nil
}
