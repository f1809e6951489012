package intake

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// segment is one file of the queue.
type segment struct {
	path  string
	file  disk
	size  int64 // bytes that are synced
	items int   // that were not dropped
}

// disk is what a file has to do.
type disk interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Sync() error
}

const ending = ".queue"

func (q *Queue) pathOf(number uint64) string {
	return filepath.Join(q.dir, fmt.Sprintf("%016d%s", number, ending))
}

// numbers are those of the files in the directory, in order.
func numbers(dir string) ([]uint64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []uint64
	for _, e := range entries {
		if name, ours := strings.CutSuffix(e.Name(), ending); ours {
			if n, err := strconv.ParseUint(name, 10, 64); err == nil {
				all = append(all, n)
			}
		}
	}
	slices.Sort(all)
	return all, nil
}

// create makes a file that survives a power cut by its name too.
func create(path string) (disk, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, nil
}

// syncDir syncs the names in a directory. Windows knows no such thing.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// recover reads what an earlier process left.
func (q *Queue) recover() error {
	all, err := numbers(q.dir)
	if err != nil {
		return err
	}
	for _, n := range all {
		q.number = n
		if err := q.recoverFile(q.pathOf(n)); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) recoverFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s := &segment{path: path, file: f}
	err = scan(f, info.Size(), func(name string, at, data int64) { q.add(s, name, at, data) })
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if s.items == 0 {
		return s.remove()
	}
	return nil
}

// remove frees the file. Its directory is not synced: a file that a power cut brings
// back holds only what whoever takes it has seen.
func (s *segment) remove() error { return errors.Join(s.file.Close(), os.Remove(s.path)) }
