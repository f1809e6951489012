package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// Name is the store's own name, made when it is first asked for: the time of its
// making, in milliseconds, and chance. Of two stores the one with the lower name is older.
func (s *Store) Name(ctx context.Context) (string, error) {
	for {
		name, _, err := s.Memo(ctx, "name")
		if err != nil || len(name) > 0 {
			return string(name), err
		}
		chance := make([]byte, 4)
		if _, err := rand.Read(chance); err != nil {
			return "", fmt.Errorf("name the store: %w", err)
		}
		made := fmt.Sprintf("%013d-%s", time.Now().UnixMilli(), hex.EncodeToString(chance))
		if _, err := s.SetMemo(ctx, "name", []byte(made), 0); err != nil && !errors.Is(err, ErrLost) {
			return "", err
		}
	}
}
