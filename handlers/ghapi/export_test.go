package ghapi

import (
	"context"
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
