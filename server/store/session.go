package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var sessionForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

func sessionKey(name string) (string, error) {
	if !sessionForm.MatchString(name) {
		return "", fmt.Errorf("%q is no name of a session", name)
	}
	return "session." + name, nil
}

// Session gives what a session of the dashboard holds, and the revision that a
// SetSession has to name. nil and 0: there is none, or it is over.
func (s *Store) Session(ctx context.Context, name string) ([]byte, uint64, error) {
	key, err := sessionKey(name)
	if err != nil {
		return nil, 0, err
	}
	data, revision, err := s.read(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read a session: %w", err)
	}
	return data, revision, nil
}

// SetSession replaces a session if the stored one has the given revision (0: if there
// is none). It is gone after keep, which is at least a second, unless it is replaced
// before. ErrLost: another was first, or it was dropped: a sign-out is final.
func (s *Store) SetSession(ctx context.Context, name string, value []byte, revision uint64, keep time.Duration) error {
	key, err := sessionKey(name)
	if err != nil {
		return err
	}
	_, _, err = s.write(ctx, key, value, func(head []byte) (uint64, error) {
		ack, err := s.js.PublishMsg(ctx, &nats.Msg{Subject: subjectRoot + key, Data: head},
			jetstream.WithMsgTTL(keep), jetstream.WithExpectLastSequencePerSubject(revision))
		if err != nil {
			return 0, err
		}
		return ack.Sequence, nil
	})
	if isTaken(err) {
		return ErrLost
	}
	if err != nil {
		return fmt.Errorf("write a session: %w", err)
	}
	return nil
}

// DropSession removes a session. One that is not there is no error.
func (s *Store) DropSession(ctx context.Context, name string) error {
	key, err := sessionKey(name)
	if err != nil {
		return err
	}
	return s.purge(ctx, key)
}
