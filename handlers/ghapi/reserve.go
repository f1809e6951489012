package ghapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gregjones/httpcache"
)

// keptOf is what part of the hourly limit is kept for what people wait for.
const keptOf = 20 // a twentieth: 250 of 5,000

// hourly is what is left of an installation's hourly limit, as last told.
type hourly struct {
	limit, left int
	reset       time.Time
}

// heard takes what an answer tells. GraphQL and search have limits of their own, and
// what comes from the cache tells of another time.
func (h *hourly) heard(header http.Header) {
	if resource := header.Get("X-RateLimit-Resource"); resource != "" && resource != "core" || header.Get(httpcache.XFromCache) != "" {
		return
	}
	limit, err1 := strconv.Atoi(header.Get("X-RateLimit-Limit"))
	left, err2 := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	reset, err3 := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64)
	if err1 == nil && err2 == nil && err3 == nil {
		*h = hourly{limit, left, time.Unix(reset, 0)}
	}
}

// kept reports whether what is left is kept for others than the request, and until when.
func (h *hourly) kept(now time.Time, urgent bool) (until time.Time, kept bool) {
	return h.reset, !urgent && h.limit > 0 && h.left < h.limit/keptOf && now.Before(h.reset)
}
