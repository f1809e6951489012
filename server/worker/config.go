package worker

import (
	"encoding/json"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// configOf is the config that a step is evaluated with: its own, or for the
// pull request that `deliver` adds what the stage says of it.
func configOf(t *promotion.Task) json.RawMessage {
	if !t.Step.Added || t.Step.Uses != "git-open-pr" {
		return t.Step.Config
	}
	opts := t.Promotion.Plan.PullRequest
	config := map[string]any{}
	if opts.Title != "" {
		config["title"] = opts.Title
	}
	if opts.Body != "" {
		config["description"] = opts.Body
	}
	if opts.Draft {
		config["draft"] = true
	}
	raw, _ := json.Marshal(config) // strings and a bool always encode
	return raw
}
