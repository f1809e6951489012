package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// disk appends to a file and syncs it, one record after the other: what a disk can
// do at most, whoever asks it.
type disk struct {
	file   *os.File
	record []byte
}

func openDisk(dir string, size int) (*disk, error) {
	file, err := os.Create(filepath.Join(dir, "synced"))
	if err != nil {
		return nil, fmt.Errorf("make a file to sync: %w", err)
	}
	return &disk{file, bytes.Repeat([]byte("x"), size)}, nil
}

// perSecond is how many records it took in a second, of n.
func (d *disk) perSecond(n int) (float64, error) {
	began := time.Now()
	for range n {
		_, err := d.file.Write(d.record)
		if err = errors.Join(err, d.file.Sync()); err != nil {
			return 0, fmt.Errorf("append and sync: %w", err)
		}
	}
	return float64(n) / time.Since(began).Seconds(), nil
}

func (d *disk) close() error { return d.file.Close() }
