package ghapi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// said is an error with a sentence of our own instead of GitHub's.
type said struct {
	text string
	err  error
}

func (s *said) Error() string { return s.text }
func (s *said) Unwrap() error { return s.err }

// blocked is a wait that an event ends: it says what it waits for and is a
// promotion.MissingPermission to the core.
func blocked(doing, why string) error {
	return &said{"the app cannot " + doing + ": " + why, &promotion.MissingPermission{Doing: doing}}
}

// jitter keeps what waited for the same time from coming back all at once.
const jitter = time.Second

// classify puts an error into the core's words. doing completes "the app could
// not …". fresh means that what the request names may be too new for every part
// of GitHub to know, so that a 404 may still heal.
func (a *API) classify(err error, doing string, fresh bool) error {
	var (
		already *promotion.MissingPermission
		limit   *limitError
		paced   *pacedError
		primary *github.RateLimitError
		abuse   *github.AbuseRateLimitError
		token   *ghinstallation.HTTPError
		answer  *github.ErrorResponse
	)
	_, waits := promotion.WaitOf(err)
	switch {
	case err == nil, waits, promotion.IsTerminal(err), errors.Is(err, promotion.ErrRaced), errors.As(err, &already):
		return err
	case errors.As(err, &limit):
		return a.waitFor(limit.until, limit)
	case errors.As(err, &paced):
		return a.waitFor(paced.until, paced)
	case errors.As(err, &primary):
		return a.wait(primary.Rate.Reset.Time, err)
	case errors.As(err, &abuse):
		return a.wait(a.opts.Now().Add(abuseWait(abuse)), err)
	case errors.As(err, &token):
		return a.classifyToken(token, doing, err)
	case errors.As(err, &answer) && answer.Response != nil:
		return classifyAnswer(answer, doing, fresh)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// wait marks err as a wait until a time, of at least a second.
func (a *API) wait(until time.Time, err error) error {
	return a.waitFor(until, &said{(&limitError{until: until}).Error(), err})
}

// waitFor is wait for an error that says itself until when.
func (a *API) waitFor(until time.Time, err error) error {
	return promotion.RetryAfter(max(until.Sub(a.opts.Now()), time.Second)+rand.N(jitter), err)
}

func abuseWait(e *github.AbuseRateLimitError) time.Duration {
	if e.RetryAfter == nil {
		return time.Minute
	}
	return *e.RetryAfter
}

// classifyToken reads why the installation gave no token. ghinstallation leaves
// the answer's body open for us.
func (a *API) classifyToken(token *ghinstallation.HTTPError, doing string, err error) error {
	resp := token.Response
	if resp == nil || resp.Body == nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer resp.Body.Close()
	if limited(resp) {
		until, told := toldUntil(resp.Header, a.opts.Now())
		if !told {
			until = a.opts.Now().Add(time.Minute)
		}
		return a.wait(until, err)
	}
	switch resp.StatusCode {
	case http.StatusForbidden:
		return blocked(doing, "its installation is suspended (GitHub says: "+message(resp)+"); unsuspend it in the account's settings")
	case http.StatusNotFound:
		return blocked(doing, "it is not installed here any more; install it again")
	}
	return fmt.Errorf("%s: no token (GitHub says: %s): %w", doing, message(resp), err)
}
