package dashboard

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/server/store"
)

const (
	// sessionLife is how long somebody stays signed in at most: as long as GitHub's
	// tokens for people live. The token is never renewed.
	sessionLife = 8 * time.Hour
	// sessionIdle is how long a session lives that nobody uses.
	sessionIdle = time.Hour
	// touchEvery is how often the use of a session is written down.
	touchEvery = 5 * time.Minute
)

// session is somebody who is signed in.
type session struct {
	User  int64     `json:"user"`
	Login string    `json:"login"`
	Token string    `json:"token"` // theirs, for the App
	Ends  time.Time `json:"ends"`
	Used  time.Time `json:"used"`

	id string // what the browser shows
}

// errSignedOut means that there is no session, or that it is over.
var errSignedOut = errors.New("nobody is signed in")

// begin makes a session. Its ID is always a new one: what the browser brought, anybody
// may have put there.
func (d *Dashboard) begin(ctx context.Context, who person, token token) (*session, error) {
	now := d.now()
	s := &session{User: who.ID, Login: who.Login, Token: token.Secret, Ends: now.Add(sessionLife), Used: now, id: newID()}
	if token.Life > 0 && token.Life < sessionLife {
		s.Ends = now.Add(token.Life)
	}
	return s, d.keep(ctx, s, 0)
}

// keep stores a session over the given revision.
func (d *Dashboard) keep(ctx context.Context, s *session, revision uint64) error {
	sealed, err := d.seal.close("session", s.id, s)
	if err != nil {
		return err
	}
	return d.opts.Store.SetSession(ctx, nameOf(s.id), sealed, revision, max(time.Second, min(sessionIdle, s.Ends.Sub(d.now()))))
}

// session finds the session of a request. What a script asks for by itself is no use of
// it: an open page keeps nobody signed in.
func (d *Dashboard) session(r *http.Request) (*session, error) {
	cookie, err := r.Cookie(d.cookieName(sessionCookie))
	if err != nil || len(cookie.Value) != 2*sha256.Size {
		return nil, errSignedOut
	}
	s, revision, err := d.sessionOf(r.Context(), cookie.Value)
	if err == nil && d.now().Sub(s.Used) >= touchEvery && r.Header.Get("X-Live") == "" && !strings.HasSuffix(r.URL.Path, "/live") {
		d.touch(r.Context(), s, revision)
	}
	return s, err
}

func (d *Dashboard) sessionOf(ctx context.Context, id string) (*session, uint64, error) {
	sealed, revision, err := d.opts.Store.Session(ctx, nameOf(id))
	if err != nil {
		return nil, 0, err
	}
	s, now := &session{id: id}, d.now()
	if sealed == nil || d.seal.open("session", id, sealed, s) != nil || !now.Before(s.Ends) || !now.Before(s.Used.Add(sessionIdle)) {
		return nil, 0, errSignedOut
	}
	return s, revision, nil
}

// touch writes down that a session is used. Another request may have done so, or the
// session was dropped: the next request will see.
func (d *Dashboard) touch(ctx context.Context, s *session, revision uint64) {
	s.Used = d.now()
	if err := d.keep(ctx, s, revision); err != nil && !errors.Is(err, store.ErrLost) {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("the use of a session could not be written down")
	}
}

// drop ends a session.
func (d *Dashboard) drop(ctx context.Context, s *session) error {
	d.seen.forget(s.id)
	return d.opts.Store.DropSession(ctx, nameOf(s.id))
}

// formToken is what the forms of a session carry. Other sites can have the cookie sent,
// but cannot know this.
func (s *session) formToken() string {
	mac := hmac.New(sha256.New, []byte(s.id))
	mac.Write([]byte("form"))
	return hex.EncodeToString(mac.Sum(nil))
}

func (s *session) fits(token string) bool { return hmac.Equal([]byte(token), []byte(s.formToken())) }
