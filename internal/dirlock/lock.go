package dirlock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrInUse means that another process works in the directory, or another part of
// this one.
var ErrInUse = errors.New("it is in use")

// fileName is the file in the directory that is locked.
const fileName = "lock"

// Lock is a directory that was taken.
type Lock struct{ file *os.File }

// Take takes a directory, which must be there, until Close. ErrInUse: somebody has it.
func Take(dir string) (*Lock, error) {
	file, err := take(filepath.Join(dir, fileName))
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return &Lock{file}, nil
}

// Held reports whether somebody has the directory. One that does not exist, or was
// never taken, is nobody's. Who takes it at this moment may find it held by us.
func Held(dir string) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, fileName)); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	l, err := Take(dir)
	if errors.Is(err, ErrInUse) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, l.Close()
}

// Close gives the directory free. A nil lock holds nothing.
func (l *Lock) Close() error {
	if l == nil {
		return nil
	}
	// In so many words: a child that was forked a moment ago and has not begun its
	// program holds the file too, and would keep the lock.
	return errors.Join(giveUp(l.file), l.file.Close())
}
