package ghsim

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// rate is the primary limit of one credential's owner: an installation, an App's JWTs, a person, or everybody without one.
type rate struct {
	limit, used int
	reset       time.Time
}

// SetRateLimit gives an installation another hourly limit and forgets what it used. 0 lets it make no counted request.
func (s *Sim) SetRateLimit(installation int64, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rates[installationKey(installation)] = &rate{limit: limit, reset: s.now().Add(time.Hour)}
}

// SetGraphQLLimit is SetRateLimit for GraphQL, which has its own.
func (s *Sim) SetGraphQLLimit(installation int64, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rates[installationKey(installation)+"graphql"] = &rate{limit: limit, reset: s.now().Add(time.Hour)}
}

func installationKey(id int64) string { return "installation " + strconv.FormatInt(id, 10) }

// rateOf is the current window of the caller; a window that ended begins anew.
func (c *call) rateOf() *rate {
	key := c.who.rateKey() + c.route.resource
	r := c.rates[key]
	if r == nil {
		r = &rate{limit: c.opts.RateLimit, reset: c.now.Add(time.Hour)}
		c.rates[key] = r
	}
	if !c.now.Before(r.reset) {
		r.used, r.reset = 0, c.now.Add(time.Hour)
	}
	return r
}

func (c *call) checkRate() *reply {
	r := c.rateOf()
	if c.route.free || r.used < r.limit {
		return nil
	}
	message := fmt.Sprintf("API rate limit exceeded for %s.", strings.Replace(c.who.rateKey(), "installation", "installation ID", 1))
	if c.route.resource == "graphql" {
		answer := ok(obj{"errors": []obj{{"type": "RATE_LIMITED", "message": message}}})
		answer.unpaid = true
		return &answer
	}
	answer := fail(cmp.Or(c.limitAnswers.Status, http.StatusForbidden), message)
	answer.body.(obj)["documentation_url"] = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"
	return &answer
}

// count charges the request, and says whether it was charged. A 304 to an authenticated request costs nothing.
func (c *call) count(answer reply) bool {
	r := c.rateOf()
	notModified := answer.status == http.StatusNotModified && c.who.kind != anonymous
	if c.route.free || notModified || answer.unpaid || r.used >= r.limit {
		return false
	}
	r.used++
	return true
}

func (c *call) rateHeaders(answer reply) reply {
	if answer.header.Get("X-RateLimit-Reset") != "" {
		return answer // a fault says what is left
	}
	r := c.rateOf()
	return answer.with("X-RateLimit-Limit", strconv.Itoa(r.limit)).
		with("X-RateLimit-Remaining", strconv.Itoa(r.limit-r.used)).
		with("X-RateLimit-Used", strconv.Itoa(r.used)).
		with("X-RateLimit-Reset", strconv.FormatInt(r.reset.Unix(), 10)).
		with("X-RateLimit-Resource", cmp.Or(c.route.resource, "core"))
}

func rateRoutes() []route {
	return []route{{
		pattern: "GET /rate_limit", docs: "rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user", free: true,
		run: func(c *call) reply {
			r := c.rateOf()
			core := obj{"limit": r.limit, "used": r.used, "remaining": r.limit - r.used, "reset": r.reset.Unix()}
			search := obj{"limit": 30, "used": 0, "remaining": 30, "reset": r.reset.Unix()}
			return ok(obj{"resources": obj{"core": core, "search": search}, "rate": core})
		},
	}}
}
