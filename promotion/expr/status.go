package expr

import "github.com/stagecoach-app/stagecoach/promotion"

// failed reports whether a step failed or errored whose failure counts.
func (e *Env) failed() bool {
	for _, s := range e.Steps {
		bad := s.Phase == promotion.StepFailed || s.Phase == promotion.StepErrored
		if bad && !s.ContinueOnError {
			return true
		}
	}
	return false
}

// statusWords are Kargo's names of the phases.
var statusWords = map[promotion.StepPhase]string{
	promotion.StepPending:   "",
	promotion.StepRunning:   "Running",
	promotion.StepWaiting:   "Running",
	promotion.StepSucceeded: "Succeeded",
	promotion.StepSkipped:   "Skipped",
	promotion.StepFailed:    "Failed",
	promotion.StepErrored:   "Errored",
}

// status is the status of the step with an alias; empty when none that stands
// before this one has it.
func (ev *evaluation) status(args ...any) (any, error) {
	alias, err := texts("status", args[0])
	if err != nil {
		return nil, err
	}
	for _, s := range ev.env.Steps {
		if s.Alias == alias[0] {
			return statusWords[s.Phase], nil
		}
	}
	return "", nil
}
