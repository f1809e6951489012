package ghsim

import (
	"net/http"
	"time"
)

// SetClock puts GitHub's clock ahead of what Options say, or behind with a negative time: of everything that it dates, of
// limits, tokens and JWTs, and in the Date of its answers.
func (s *Sim) SetClock(ahead time.Duration) { s.ahead.Store(int64(ahead)) }

// skewed is a clock that SetClock moves.
func (s *Sim) skewed(clock func() time.Time) func() time.Time {
	return func() time.Time { return clock().Add(time.Duration(s.ahead.Load())) }
}

// date gives an answer the Date of a clock that was moved; else the server's own is right.
func (s *Sim) date(w http.ResponseWriter) {
	if s.ahead.Load() != 0 {
		w.Header().Set("Date", s.opts.AuthClock().UTC().Format(http.TimeFormat))
	}
}
