package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// errInUse is what takeLock returns when another process holds the file.
var errInUse = errors.New("in use")

// dirLock is the lock file of a directory. The system gives it free when the
// process ends, in whatever way.
type dirLock struct{ file *os.File }

// lockDir takes dir for this process.
func lockDir(dir string) (*dirLock, error) {
	path := filepath.Join(dir, "lock")
	file, err := takeLock(path)
	if errors.Is(err, errInUse) {
		return nil, fmt.Errorf("another Stagecoach process uses %s: stop it, give this one a data directory of its own, or let both share a NATS server by STAGECOACH_NATS_URL", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the directory of the event store: %w", err)
	}
	return &dirLock{file}, nil
}

// release gives the directory free. The file stays: removing it would let two
// processes lock two files of one name.
func (l *dirLock) release() error {
	if l == nil {
		return nil
	}
	// In so many words: a child that was forked a moment ago holds the file too.
	if err := errors.Join(giveUp(l.file), l.file.Close()); err != nil {
		return fmt.Errorf("give the directory of the event store free: %w", err)
	}
	return nil
}
