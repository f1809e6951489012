package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// github asks GitHub on behalf of people. It never has the App's own rights.
type github struct {
	client     *http.Client
	webURL     string
	v3URL      string
	id, secret string
}

const (
	answerWithin = 10 * time.Second
	maxAnswer    = 8 << 20 // of one answer, in bytes: a hundred repositories take less than 1 MB
)

func newGitHub(o Options) github {
	client := &http.Client{Transport: o.Transport, Timeout: answerWithin, CheckRedirect: sameHost}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	return github{client: client, webURL: o.WebURL, v3URL: o.V3URL, id: o.ClientID, secret: o.ClientSecret}
}

// sameHost follows a renamed repository, and nothing that leads off the API: the
// person's token goes along.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) > 3 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return errors.New("it leads elsewhere")
	}
	return nil
}

// token is a person's for the App.
type token struct {
	Secret string
	Life   time.Duration // 0: it does not end
}

// exchangeError is GitHub's no to a code.
type exchangeError struct{ Name string }

func (e *exchangeError) Error() string { return "GitHub refused the code: " + e.Name }

// exchange gives the token of who said yes. What GitHub gives to renew it is not kept:
// the session ends with the token.
// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
func (g github) exchange(ctx context.Context, code, verifier, callback string) (token, error) {
	form := url.Values{
		"client_id": {g.id}, "client_secret": {g.secret}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {callback},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.webURL+"/login/oauth/access_token", strings.NewReader(form.Encode()))
	if err != nil {
		return token{}, fmt.Errorf("exchange the code of a sign-in: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	var in struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
		Error       string `json:"error"`
	}
	answer, err := g.do(req, &in)
	switch {
	case err != nil:
		return token{}, fmt.Errorf("exchange the code of a sign-in: %w", err)
	case in.Error != "":
		return token{}, &exchangeError{in.Error}
	case answer.status != http.StatusOK || in.AccessToken == "":
		return token{}, fmt.Errorf("exchange the code of a sign-in: GitHub answered %d without a token", answer.status)
	}
	return token{in.AccessToken, time.Duration(in.ExpiresIn) * time.Second}, nil
}

// person is somebody on GitHub.
type person struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
}

func (g github) whoIs(ctx context.Context, token string) (person, error) {
	var who person
	answer, err := g.get(ctx, token, "user", "", &who)
	if err == nil && (answer.status != http.StatusOK || who.ID == 0) {
		err = fmt.Errorf("GitHub answered %d", answer.status)
	}
	if err != nil {
		return who, fmt.Errorf("ask who signed in: %w", err)
	}
	return who, nil
}

// answer is what a request came to.
type answer struct {
	status int
	etag   string
	more   bool // there is a further page
}

// The errors that pages tell of.
var (
	// errRevoked means that GitHub does not take the person's token any more.
	errRevoked = errors.New("GitHub does not take the sign-in any more")
)

// limitError means that the person's requests are used up, or that there were too many
// at once.
type limitError struct{ Until time.Time } // zero: unknown

func (e *limitError) Error() string { return "GitHub limits the requests of this person" }

// get asks the API. Other statuses than 401 and limits are no error here.
func (g github) get(ctx context.Context, token, path, etag string, into any) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.v3URL+path, nil)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	return g.do(req, into)
}

func (g github) do(req *http.Request, into any) (answer, error) {
	req.Header.Set("User-Agent", "stagecoach-dashboard")
	resp, err := g.client.Do(req)
	if err != nil {
		return answer{}, plainly(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answer{}, err
	}
	out := answer{status: resp.StatusCode, etag: resp.Header.Get("ETag"), more: strings.Contains(resp.Header.Get("Link"), `rel="next"`)}
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return out, errRevoked
	case limited(resp, body):
		return out, &limitError{until(resp.Header)}
	case resp.StatusCode >= 500:
		return out, fmt.Errorf("GitHub answered %d", resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return out, nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return out, errors.New("GitHub's answer could not be read")
	}
	return out, nil
}

// plainly leaves the address out of an error.
func plainly(err error) error {
	var in *url.Error
	if errors.As(err, &in) {
		return in.Err
	}
	return err
}

// limited reports whether an answer is a rate limit's. Some of the secondary limits show
// in the text alone:
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
func limited(resp *http.Response, body []byte) bool {
	return resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusForbidden &&
		(resp.Header.Get("X-RateLimit-Remaining") == "0" || resp.Header.Get("Retry-After") != "" || bytes.Contains(bytes.ToLower(body), []byte("rate limit")))
}

func until(h http.Header) time.Time {
	if s, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && h.Get("X-RateLimit-Remaining") == "0" {
		return time.Unix(s, 0).UTC()
	}
	return time.Time{}
}
