package ghsim_test

import (
	"errors"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// refusal is the status of a refused act of a person or bot, 0 for none.
func refusal(err error) int {
	var refused *ghsim.Refused
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}
