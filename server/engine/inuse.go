package engine

import (
	"errors"
	"os"
	"path/filepath"
)

// InUse reports whether a process has the data directory dir open. It changes
// nothing, and a directory that does not exist is not in use. While it looks, a
// server that starts at the same moment may take the directory for busy.
func InUse(dir string) (bool, error) {
	path := filepath.Join(Options{Dir: dir}.storeDir(), "lock")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	file, err := takeLock(path)
	if errors.Is(err, errInUse) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, file.Close()
}
