package intake

import (
	"context"
	"errors"
	"fmt"
)

// A taking is of at most so many records, and of more than so many bytes only where
// one record alone is.
const (
	takeRecords = 64
	takeBytes   = 32 << 20
)

// Next waits until there is something in the queue and gives the first of it. It stays
// there until Drop.
func (q *Queue) Next(ctx context.Context) ([]Record, error) {
	for {
		if items := q.first(); len(items) > 0 {
			return read(items)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-q.some:
		}
	}
}

func (q *Queue) first() []item {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, bytes := 0, int64(0)
	for n < min(takeRecords, len(q.items)) {
		if bytes += q.items[n].bytes(); n > 0 && bytes > takeBytes {
			break
		}
		n++
	}
	return q.items[:n:n]
}

func read(items []item) ([]Record, error) {
	records := make([]Record, len(items))
	for n, i := range items {
		data := make([]byte, i.data)
		if _, err := i.segment.file.ReadAt(data, i.at+headBytes+int64(len(i.name))); err != nil {
			return nil, fmt.Errorf("read %s of the intake: %w", i.name, err)
		}
		records[n] = Record{i.name, data}
	}
	return records, nil
}

// Drop removes the first n records, and the files in which nothing else is. An error
// says that a file could not be removed; its records may come again after a restart.
func (q *Queue) Drop(n int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var errs []error
	for _, i := range q.items[:n] {
		if q.names[i.name]--; q.names[i.name] == 0 {
			delete(q.names, i.name)
		}
		q.bytes -= i.bytes()
		if i.segment.items--; i.segment.items == 0 && i.segment != q.current {
			errs = append(errs, i.segment.remove())
		}
	}
	q.items = q.items[n:]
	if len(q.items) == 0 {
		q.items = nil
		errs = append(errs, q.clear())
	}
	return errors.Join(errs...)
}

// clear removes the file that is written to when nothing is in it and nothing comes.
func (q *Queue) clear() error {
	if q.writing {
		return nil
	}
	return q.giveUp(q.current)
}
