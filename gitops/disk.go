package gitops

import (
	"errors"
	"os"
	"path/filepath"
)

// writeFile writes a file at once or not at all. It is not synced: the clone is
// a cache, and what a power cut leaves half-written is found and fetched again.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "tmp_")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
