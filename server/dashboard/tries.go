package dashboard

import (
	"time"

	"golang.org/x/time/rate"
)

// tries bounds how often codes are exchanged: whoever is not signed in can make the
// server ask GitHub that way.
type tries struct{ limit *rate.Limiter }

// Codes that are exchanged: at most so many at once, and then so many a second.
const (
	triesAtOnce  = 50
	triesASecond = 10
)

func newTries() tries { return tries{rate.NewLimiter(triesASecond, triesAtOnce)} }

func (t tries) may(now time.Time) bool { return t.limit.AllowN(now, 1) }
