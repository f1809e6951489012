package gitops

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// defaultWait is how long a rate limit that names no time is waited for, as
// GitHub advises: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
const defaultWait = time.Minute

// statusError turns an answer that is no success into an error that says how to
// take it.
func statusError(res *http.Response, service string) error {
	text, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	err := fmt.Errorf("the server answered %d %s%s", res.StatusCode, http.StatusText(res.StatusCode), said(text))
	switch {
	case limited(res):
		now := time.Now()
		if theirs, failed := http.ParseTime(res.Header.Get("Date")); failed == nil {
			now = theirs // what the answer names is by the server's clock
		}
		return promotion.RetryAfter(waitOf(res.Header, now), err)
	case res.StatusCode == http.StatusForbidden && service == receivePack:
		err = fmt.Errorf("%w (%w)", &promotion.MissingPermission{Needed: "contents=write", Doing: "push"}, err)
	case res.StatusCode == http.StatusForbidden:
		err = fmt.Errorf("%w (%w)", &promotion.MissingPermission{Needed: "contents=read", Doing: "read the repository"}, err)
	}
	return odd{marked(err, res.StatusCode)}
}

// odd is an error that counts as errOdd, and reads as it did.
type odd struct{ error }

func (o odd) Unwrap() error        { return o.error }
func (o odd) Is(target error) bool { return target == errOdd }

// limited recognises a rate limit: 429, or 403 with the headers of one.
func limited(res *http.Response) bool {
	if res.StatusCode == http.StatusTooManyRequests {
		return true
	}
	return res.StatusCode == http.StatusForbidden &&
		(res.Header.Get("Retry-After") != "" || res.Header.Get("X-RateLimit-Remaining") == "0")
}

// waitOf reads how long to wait: Retry-After in seconds or as a date, else the
// time at which GitHub's counter starts anew.
func waitOf(h http.Header, now time.Time) time.Duration {
	after := h.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil && n >= 0 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(at.Sub(now), 0)
	}
	if n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil {
		return max(time.Unix(n, 0).Sub(now), 0)
	}
	return defaultWait
}

// said is what a server wrote, on one line, for the end of a sentence.
func said(text []byte) string {
	words := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "")), " ")
	if len(words) > 300 {
		words = strings.ToValidUTF8(words[:300], "") + "…"
	}
	if words == "" {
		return ""
	}
	return ": " + words
}

// hidden is an error whose text does not show a secret that the original's did.
type hidden struct {
	text string
	err  error
}

func (h *hidden) Error() string { return h.text }
func (h *hidden) Unwrap() error { return h.err }

// hide takes the token out of an error's text, should a server have echoed it.
func hide(err error, token string) error {
	if token == "" || !strings.Contains(err.Error(), token) {
		return err
	}
	text := strings.ReplaceAll(err.Error(), token, "[token]")
	// The marks stay, the errors that hold the token do not.
	if wait, ok := promotion.WaitOf(err); ok {
		return promotion.RetryAfter(wait, errors.New(text))
	}
	out := errors.New(text)
	var missing *promotion.MissingPermission
	switch {
	case errors.As(err, &missing):
		out = &hidden{text, missing}
	case promotion.IsTerminal(err):
		out = promotion.Terminal(out)
	}
	if errors.Is(err, errOdd) {
		out = odd{out}
	}
	return out
}
