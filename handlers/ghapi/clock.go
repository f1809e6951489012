package ghapi

import (
	"crypto/rsa"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/rs/zerolog"
)

// clock is GitHub's clock as the Date of its answers tells it. Two clocks that are
// apart would make GitHub refuse what the App signs, and limits, approvals and looks
// for what was missed be judged by the wrong time. One that is as good as ours is
// left alone, because answers are dated in whole seconds and take a while.
type clock struct {
	own   func() time.Time
	ahead atomic.Int64 // of ours, in nanoseconds; 0: not noticeably
}

// noticeable is from when on the clocks count as apart.
const noticeable = 15 * time.Second

// now is GitHub's time.
func (c *clock) now() time.Time { return c.own().Add(c.offset()) }

func (c *clock) offset() time.Duration { return time.Duration(c.ahead.Load()) }

// heard takes the Date of an answer that came just now, and reports whether the clock
// was set by it.
func (c *clock) heard(h http.Header) bool {
	at, err := http.ParseTime(h.Get("Date"))
	if err != nil || h.Get("Age") != "" { // something between us may have kept it
		return false
	}
	ahead := at.Sub(c.own()).Round(time.Second)
	if ahead.Abs() < noticeable {
		ahead = 0
	}
	before := c.offset()
	if ahead == before || ahead != 0 && (ahead-before).Abs() < noticeable/3 {
		return false
	}
	c.ahead.Store(int64(ahead))
	return true
}

// dated tells a clock the time of every answer. While GitHub's clock and ours are
// apart it signs anew what the App signed, by GitHub's time: a JWT from the future is
// refused, and so is one that has ended.
// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
type dated struct {
	next  http.RoundTripper
	clock *clock
	key   *rsa.PrivateKey
	app   int64
}

// A JWT counts from half a minute ago, and for a minute and a half.
const (
	signedBefore = 30 * time.Second
	signedFor    = 90 * time.Second
)

func (d *dated) RoundTrip(req *http.Request) (*http.Response, error) {
	asApp := strings.HasPrefix(req.Header.Get("Authorization"), "Bearer ")
	resp, err := d.send(req, asApp)
	if err != nil {
		return nil, err
	}
	if !d.clock.heard(resp.Header) {
		return resp, nil
	}
	zerolog.Ctx(req.Context()).Warn().Dur("ahead", d.clock.offset()).Msg("GitHub's clock and this machine's are apart; GitHub's counts. Have this machine's set by NTP")
	again, ok := repeated(req)
	if !asApp || resp.StatusCode != http.StatusUnauthorized || !ok {
		return resp, nil
	}
	_ = resp.Body.Close()
	return d.send(again, asApp)
}

func (d *dated) send(req *http.Request, asApp bool) (*http.Response, error) {
	if !asApp || d.clock.offset() == 0 {
		return d.next.RoundTrip(req)
	}
	now := d.clock.now()
	text, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		Issuer: strconv.FormatInt(d.app, 10), IssuedAt: jwt.NewNumericDate(now.Add(-signedBefore)), ExpiresAt: jwt.NewNumericDate(now.Add(signedFor)),
	}).SignedString(d.key)
	if err != nil {
		closeBody(req)
		return nil, err
	}
	signed := req.Clone(req.Context())
	signed.Header.Set("Authorization", "Bearer "+text)
	return d.next.RoundTrip(signed)
}

// repeated is a request that can be sent once more; false: its body is gone.
func repeated(req *http.Request) (*http.Request, bool) {
	again := req.Clone(req.Context())
	if req.Body == nil || req.Body == http.NoBody {
		return again, true
	}
	if req.GetBody == nil {
		return nil, false
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, false
	}
	again.Body = body
	return again, true
}
