package promotion

import (
	"errors"
	"time"
)

// ErrStale means that the tip moved: redo the work on the new one.
var ErrStale = errors.New("the branch moved")

// ErrRaced means that what an effect acts on moved while it did. It is tried again
// soon, and not for ever: see maxRaces.
var ErrRaced = errors.New("it moved meanwhile")

// ErrConflict means that a person changed the same values: a person decides.
var ErrConflict = errors.New("a person changed the same values")

// ErrIssuesOff means that the repository's Issues are switched off: the ledger has
// another place.
var ErrIssuesOff = errors.New("issues are switched off in this repository")

// ErrCancelled means that an effect was not sent, because what it was for has ended.
var ErrCancelled = errors.New("no longer wanted")

// terminalError marks an error that trying again cannot help.
type terminalError struct{ err error }

func (e *terminalError) Error() string { return e.err.Error() }
func (e *terminalError) Unwrap() error { return e.err }

// Terminal marks err as one that trying again cannot help. Terminal(nil) is nil.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return &terminalError{err}
}

// IsTerminal reports whether err is marked Terminal, or is a conflict.
func IsTerminal(err error) bool {
	var t *terminalError
	return errors.As(err, &t) || errors.Is(err, ErrConflict)
}

// retryAfter carries how long to wait.
type retryAfter struct {
	wait time.Duration
	err  error
}

func (e *retryAfter) Error() string { return e.err.Error() }
func (e *retryAfter) Unwrap() error { return e.err }

// RetryAfter marks err as a wait (a rate limit, for example): no sooner than d,
// and never counted as a try.
func RetryAfter(d time.Duration, err error) error {
	if err == nil {
		return nil
	}
	return &retryAfter{d, err}
}

// WaitOf returns the wait that RetryAfter put on err.
func WaitOf(err error) (time.Duration, bool) {
	var r *retryAfter
	if errors.As(err, &r) {
		return r.wait, true
	}
	return 0, false
}

// MissingPermission means that the installation lacks a permission. It is
// waited for, and ends by the event that the owner accepted new permissions.
type MissingPermission struct {
	Needed string // as GitHub names it: "pull_requests=write"; "" when unknown
	Doing  string // what was attempted: "open the pull request"
}

// lacks reports whether err is that the installation lacks a permission.
func lacks(err error) bool {
	var missing *MissingPermission
	return errors.As(err, &missing)
}

func (e *MissingPermission) Error() string {
	if e.Needed == "" {
		return "the app may not " + e.Doing + ": a permission is missing; accept the app's permissions in the installation's settings"
	}
	return "the app may not " + e.Doing + ": it needs the permission " + e.Needed + "; accept it in the installation's settings"
}
