package ghsim

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// conditional gives a successful read its validators, and turns it into a 304 when the client holds it already.
// The ETag depends on the credential as GitHub's do: after an hour's new token everything is read in full once.
func (c *call) conditional(answer reply) reply {
	if !isRead(c.r.Method) || answer.status != http.StatusOK {
		return answer
	}
	raw := answer.encoded()
	etag := entityTag(c.r.Header.Get("Authorization"), c.r.Header.Get("Accept"), raw)
	answer.body = raw
	answer = answer.with("ETag", etag).with("Cache-Control", "private, max-age=60, s-maxage=60").
		with("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP")
	answer = answer.dated(raw)
	if c.unchanged(etag, answer.header.Get("Last-Modified")) {
		answer.status, answer.body = http.StatusNotModified, nil
		answer.header.Del("Link")
	}
	return answer
}

// dated gives the answer of one thing its Last-Modified. Lists have none; the time is in seconds and does not depend on the token.
func (r reply) dated(raw []byte) reply {
	var thing struct {
		Updated time.Time `json:"updated_at"`
	}
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &thing) != nil || thing.Updated.IsZero() {
		return r
	}
	return r.with("Last-Modified", thing.Updated.UTC().Format(http.TimeFormat))
}

// unchanged compares with what the client has; its ETag, if it sends one, decides alone.
func (c *call) unchanged(etag, modified string) bool {
	if sent := c.r.Header.Get("If-None-Match"); sent != "" {
		return matchesTag(sent, etag)
	}
	since, err := http.ParseTime(c.r.Header.Get("If-Modified-Since"))
	at, known := http.ParseTime(modified)
	return err == nil && known == nil && !at.After(since)
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func entityTag(credential, accept string, body []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s%d:%s", len(credential), credential, len(accept), accept)
	h.Write(body)
	return `W/"` + hex.EncodeToString(h.Sum(nil)) + `"`
}

func matchesTag(header, etag string) bool {
	weak := strings.TrimPrefix(etag, "W/")
	for _, candidate := range strings.Split(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == weak {
			return true
		}
	}
	return false
}

// requestID looks like GitHub's: groups of hexadecimal digits.
func requestID() string {
	var raw [14]byte
	_, _ = rand.Read(raw[:]) // never fails, as its documentation promises
	s := strings.ToUpper(hex.EncodeToString(raw[:]))
	return s[:4] + ":" + s[4:10] + ":" + s[10:16] + ":" + s[16:22] + ":" + s[22:]
}
