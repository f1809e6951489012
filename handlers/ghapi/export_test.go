package ghapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gregjones/httpcache"
)

// SetSleep replaces the waiting, so that tests see how long it would be.
func (a *API) SetSleep(sleep func(context.Context, time.Duration) error) { a.sleep = sleep }

// NewCache is the view of one installation on a cache of most bytes; bytes
// tells how many are used.
func NewCache(most int) (view func(installation int64) httpcache.Cache, bytes func() int) {
	s := newStore(most)
	return s.view, func() int { return s.bytes }
}

// NewPace is the pacing alone.
func NewPace(next http.RoundTripper) http.RoundTripper { return newPace(next, false) }

var SameRepository = sameRepository

// What decides whether and when a request goes.
var (
	Urgent    = urgent
	IsUrgent  = isUrgent
	ForPerson = forPerson
	ForAskers = forAskers
	Limited   = limited
)

// PacedUntil is when a request may go that was told to wait for its turn.
func PacedUntil(err error) (until time.Time, told bool) {
	var paced *pacedError
	if errors.As(err, &paced) {
		return paced.until, true
	}
	return time.Time{}, false
}

// ForgetAnswers empties the cache of answers.
func (a *API) ForgetAnswers() { a.cache.entries.Purge() }

// ForgetToken makes the next request ask for a new token, as after an hour.
func (a *API) ForgetToken() { a.accounts.Purge() }
