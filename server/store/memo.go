package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/nats-io/nats.go/jetstream"
)

var memoForm = regexp.MustCompile(`^[a-z0-9-]+$`)

func memoKey(name string) (string, error) {
	if !memoForm.MatchString(name) {
		return "", fmt.Errorf("%q is no name of a memo", name)
	}
	return "memo." + name, nil
}

// Memo gives what the processes that share the store remember together under a
// name, and the revision that a SetMemo has to name. nil and 0: nothing yet.
func (s *Store) Memo(ctx context.Context, name string) ([]byte, uint64, error) {
	key, err := memoKey(name)
	if err != nil {
		return nil, 0, err
	}
	data, revision, err := s.read(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the memo %s: %w", name, err)
	}
	return data, revision, nil
}

// SetMemo replaces a memo if the stored one has the given revision (0: if there is
// none), and returns the new revision. ErrLost: another was first.
func (s *Store) SetMemo(ctx context.Context, name string, value []byte, revision uint64) (uint64, error) {
	key, err := memoKey(name)
	if err != nil {
		return 0, err
	}
	next, err := s.swap(ctx, key, value, revision)
	if err != nil {
		return 0, fmt.Errorf("write the memo %s over revision %d: %w", name, revision, err)
	}
	return next, nil
}
