package engine

import (
	"errors"
	"fmt"

	"github.com/stagecoach-app/stagecoach/internal/dirlock"
)

// InUse reports whether a process has the data directory dir open. It changes
// nothing, and a directory that does not exist is not in use. While it looks, a
// server that starts at the same moment may take the directory for busy.
func InUse(dir string) (bool, error) { return dirlock.Held(Options{Dir: dir}.storeDir()) }

// lockDir takes dir for this process.
func lockDir(dir string) (*dirlock.Lock, error) {
	lock, err := dirlock.Take(dir)
	if errors.Is(err, dirlock.ErrInUse) {
		return nil, fmt.Errorf("another Stagecoach process uses %s: stop it, give this one a data directory of its own, or let both share a NATS server by STAGECOACH_NATS_URL", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("take the directory of the event store: %w", err)
	}
	return lock, nil
}

// release gives the directory free.
func (e *Engine) release() error {
	if err := e.lock.Close(); err != nil {
		return fmt.Errorf("give the directory of the event store free: %w", err)
	}
	return nil
}
