package gitops

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// errInUse is what takeLock returns when another process holds the file.
var errInUse = errors.New("in use")

// lockDir takes the directory of the clones for this engine, until the file is
// closed or the process ends, in whatever way. The file stays: removing it would
// let two processes lock two files of one name.
func lockDir(dir string) (io.Closer, error) {
	file, err := takeLock(filepath.Join(dir, "lock"))
	if errors.Is(err, errInUse) {
		return nil, fmt.Errorf("another Stagecoach process uses the clones in %s: stop it, or give this one a data directory of its own", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the directory of the clones: %w", err)
	}
	return heldFile{file}, nil
}

// heldFile is a locked file.
type heldFile struct{ *os.File }

// Close gives the lock up in so many words: a child that was forked a moment ago
// and has not begun its program holds the file too, and would keep the lock.
func (f heldFile) Close() error { return errors.Join(giveUp(f.File), f.File.Close()) }
