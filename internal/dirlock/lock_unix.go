//go:build unix

package dirlock

import (
	"errors"
	"os"
	"syscall"
)

func take(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrInUse
		}
		return nil, &os.PathError{Op: "flock", Path: path, Err: err}
	}
	return file, nil
}

func giveUp(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
