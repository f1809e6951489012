package ghapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// What an installation may do in a time. GitHub asks for a second between writes
// (https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api),
// and limits points, content and requests at the same time
// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits).
const (
	paceBurst = 30
	paceEvery = time.Second

	// 900 points a minute: what may go at once, and what comes back in a minute.
	pointsBurst  = 300
	pointsMinute = 600
	pointsWrite  = 5 // of one write; a read is one

	contentMinute, contentHour = 80, 500
	// contentKept is the part of both that is kept for what people wait for.
	contentKept = 10 // a tenth

	// atOnce is how many requests of an installation are under way, of 100 that GitHub
	// allows; git and other programs need theirs.
	atOnce = 40

	// patience is how long a request waits for its turn in here. What has to wait
	// longer is told when, so that nobody is held up meanwhile.
	patience = 30 * time.Second
)

// pacedError says that a request has to wait for its turn, and until when.
type pacedError struct{ until time.Time }

func (e *pacedError) Error() string {
	return "requests to GitHub are spaced; this one may go at " + e.until.UTC().Format("15:04:05 UTC")
}

// pace spaces the requests of one installation.
type pace struct {
	next    http.RoundTripper
	writes  *rate.Limiter
	points  *rate.Limiter
	content *window
	slots   chan struct{}
}

// newPace spaces requests, or with off does not.
func newPace(next http.RoundTripper, off bool) http.RoundTripper {
	if off {
		return next
	}
	return &pace{
		next: next, writes: rate.NewLimiter(rate.Every(paceEvery), paceBurst), points: rate.NewLimiter(rate.Limit(pointsMinute)/60, pointsBurst),
		content: newWindow(), slots: make(chan struct{}, atOnce),
	}
}

func (p *pace) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := p.turn(req); err != nil {
		closeBody(req)
		return nil, fmt.Errorf("wait for the turn to send: %w", err)
	}
	select {
	case p.slots <- struct{}{}:
	case <-req.Context().Done():
		closeBody(req)
		return nil, fmt.Errorf("wait for the turn to send: %w", req.Context().Err())
	}
	defer func() { <-p.slots }()
	return p.next.RoundTrip(req)
}

// turn waits until a request may go.
func (p *pace) turn(req *http.Request) error {
	wait, cancel := p.reserve(req)
	deadline, bound := req.Context().Deadline()
	if wait > patience || bound && wait > time.Until(deadline) {
		cancel()
		return &pacedError{time.Now().Add(wait)}
	}
	if err := sleep(req.Context(), wait); err != nil {
		cancel()
		return err
	}
	return nil
}

// reserve takes the request's place in every line that it has to stand in.
func (p *pace) reserve(req *http.Request) (wait time.Duration, cancel func()) {
	now, cost := time.Now(), 1
	var held []*rate.Reservation
	if !isRead(req.Method) {
		cost = pointsWrite
		held = append(held, p.writes.ReserveN(now, 1))
	}
	held = append(held, p.points.ReserveN(now, cost))
	for _, r := range held {
		wait = max(wait, r.DelayFrom(now))
	}
	made := time.Time{}
	if makesContent(req) {
		made = p.content.reserve(now.Add(wait), isUrgent(req.Context()))
		wait = made.Sub(now)
	}
	return wait, func() {
		for _, r := range held {
			r.CancelAt(time.Now())
		}
		p.content.cancel(made)
	}
}

// makesContent reports whether a request makes what people are told of: issues,
// pull requests, comments and reviews. GitHub counts those apart.
func makesContent(req *http.Request) bool {
	if req.Method != http.MethodPost {
		return false
	}
	for _, end := range []string{"/issues", "/pulls", "/comments", "/reviews"} {
		if strings.HasSuffix(req.URL.Path, end) {
			return true
		}
	}
	return false
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
