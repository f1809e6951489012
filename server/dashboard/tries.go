package dashboard

import "golang.org/x/time/rate"

// tries bounds how often codes are exchanged: whoever is not signed in can make the
// server ask GitHub that way.
type tries struct{ limit *rate.Limiter }

func newTries() tries { return tries{rate.NewLimiter(10, 50)} }

func (t tries) may() bool { return t.limit.Allow() }
