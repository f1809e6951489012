package gitops

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// errInUse is what takeLock returns when another process holds the file.
var errInUse = errors.New("in use")

// lockDir takes the directory of the clones for this engine, until the file is
// closed or the process ends, in whatever way. The file stays: removing it would
// let two processes lock two files of one name.
func lockDir(dir string) (*os.File, error) {
	file, err := takeLock(filepath.Join(dir, "lock"))
	if errors.Is(err, errInUse) {
		return nil, fmt.Errorf("another Stagecoach process uses the clones in %s: stop it, or give this one a data directory of its own", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the directory of the clones: %w", err)
	}
	return file, nil
}
