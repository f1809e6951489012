package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// sync appends one record.
func (d *disk) sync(context.Context, int) error {
	_, err := d.file.Write(d.record)
	if err = errors.Join(err, d.file.Sync()); err != nil {
		return fmt.Errorf("append and sync: %w", err)
	}
	return nil
}

func (d *disk) close() error { return d.file.Close() }
