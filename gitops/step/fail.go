package step

import "context"

type failConfig struct {
	Message string `json:"message"`
}

// fail says no.
func fail(_ context.Context, _ Workspace, task Task) (Outcome, error) {
	cfg := failConfig{}
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	if cfg.Message == "" {
		cfg.Message = "A step `fail` ended the promotion."
	}
	return Outcome{Failed: true, Message: cfg.Message}, nil
}
