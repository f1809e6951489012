package gitops

import (
	"errors"
	"net/http"
)

// Absent reports whether an error says that the remote has no such repository or
// commit, or none for whoever asks: servers do not tell these apart.
func Absent(err error) bool { return errors.Is(err, errAbsent) || errors.Is(err, errNotThere) }

var errAbsent = errors.New("it is not there for whoever asks")

// absent is an error that counts as errAbsent, and reads as it did.
type absent struct{ error }

func (a absent) Unwrap() error        { return a.error }
func (a absent) Is(target error) bool { return target == errAbsent }

// marked marks the answer of a server that has no such repository.
func marked(err error, status int) error {
	switch status {
	case http.StatusNotFound, http.StatusGone, http.StatusUnauthorized:
		return absent{err}
	}
	return err
}
