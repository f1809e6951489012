package ghsim

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// recent is what somebody did within the last hour.
type recent struct {
	content []time.Time
	points  []pointsAt
	blocked time.Time // until then
}

type pointsAt struct {
	at     time.Time
	points int
}

func (s *Sim) recentOf(key string) *recent {
	if s.recents[key] == nil {
		s.recents[key] = &recent{}
	}
	return s.recents[key]
}

// checkSecondary refuses a request that goes past a secondary limit, and notes one that does not.
func (c *call) checkSecondary() *reply {
	now, r := c.opts.Clock(), c.recentOf(c.who.rateKey())
	if wait := r.blocked.Sub(now); wait > 0 {
		return c.limited("", wait)
	}
	if most := c.secondary.Concurrent; most > 0 && c.underWay > most {
		return c.limited("", time.Minute)
	}
	points := 5
	if isRead(c.r.Method) {
		points = 1
	}
	r.forget(now)
	if most := c.secondary.PointsPerMinute; most > 0 && r.pointsSince(now.Add(-time.Minute))+points > most {
		wait := time.Minute
		if len(r.points) > 0 {
			wait -= now.Sub(r.points[0].at)
		}
		return c.limited("", wait)
	}
	if refused := c.checkContent(r, now); refused != nil {
		return refused
	}
	if c.secondary.PointsPerMinute > 0 {
		r.points = append(r.points, pointsAt{now, points})
	}
	return nil
}

func (c *call) checkContent(r *recent, now time.Time) *reply {
	if c.route.free || c.path("repo") == "" || c.r.Method != http.MethodPost && (isRead(c.r.Method) || !c.secondary.EditsCount) {
		return nil
	}
	for _, window := range []struct {
		most int
		size time.Duration
	}{{c.secondary.ContentPerMinute, time.Minute}, {c.secondary.ContentPerHour, time.Hour}} {
		if at, full := r.full(window.most, now.Add(-window.size)); full {
			return c.limited(" and have been temporarily blocked from content creation", at.Add(window.size).Sub(now))
		}
	}
	if c.secondary.ContentPerMinute+c.secondary.ContentPerHour > 0 {
		r.content = append(r.content, now)
	}
	return nil
}

// full says whether most or more contents were made since a time, and when the one was that must pass out of the window.
func (r *recent) full(most int, since time.Time) (time.Time, bool) {
	if most == 0 || len(r.content) < most {
		return time.Time{}, false
	}
	at := r.content[len(r.content)-most]
	return at, at.After(since)
}

// forget drops what no window looks at any more.
func (r *recent) forget(now time.Time) {
	for len(r.content) > 0 && !r.content[0].After(now.Add(-time.Hour)) {
		r.content = r.content[1:]
	}
	for len(r.points) > 0 && !r.points[0].at.After(now.Add(-time.Minute)) {
		r.points = r.points[1:]
	}
}

func (r *recent) pointsSince(since time.Time) int {
	sum := 0
	for _, p := range r.points {
		if p.at.After(since) {
			sum += p.points
		}
	}
	return sum
}

// limited is the answer of a secondary limit, the wait rounded up to seconds. The primary limit's headers still show what is left.
func (c *call) limited(what string, wait time.Duration) *reply {
	text := fmt.Sprintf("You have exceeded a secondary rate limit%s. Please retry your request again later. If you reach out to GitHub Support for help, "+
		"please include the request ID %s.", what, requestID())
	answer := fail(cmp.Or(c.limitAnswers.Status, http.StatusForbidden), text)
	answer.body.(obj)["documentation_url"] = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits"
	if !c.limitAnswers.NoRetryAfter {
		answer = answer.with("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	answer.unpaid = true
	return &answer
}
