package server

import (
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// pause is how long to wait after a failed try, or as long as GitHub said.
func pause(try int, err error) time.Duration {
	if wait, ok := promotion.WaitOf(err); ok {
		return wait
	}
	return promotion.Pause(try)
}

// isFinal reports whether asking again cannot help.
func isFinal(err error) bool { return promotion.IsTerminal(err) }
