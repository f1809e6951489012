package ghsim

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
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
	if matchesTag(c.r.Header.Get("If-None-Match"), etag) {
		answer.status, answer.body = http.StatusNotModified, nil
		answer.header.Del("Link")
	}
	return answer
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
