package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newQueue(t *testing.T, dir string, create func(string) (disk, error)) *Queue {
	t.Helper()
	q, err := open(dir, create)
	ok(t, err)
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func dataOf(name string) []byte { return []byte(strings.Repeat(name, 5)) }

func appendAll(t *testing.T, q *Queue, names ...string) {
	t.Helper()
	for _, name := range names {
		ok(t, q.Append(t.Context(), name, dataOf(name)))
	}
}

// drain takes all that is in the queue.
func drain(t *testing.T, q *Queue) (names []string) {
	t.Helper()
	for q.Len() > 0 {
		some, err := q.Next(t.Context())
		ok(t, err)
		for _, r := range some {
			if !bytes.Equal(r.Data, dataOf(r.Name)) {
				t.Errorf("%s came with %q", r.Name, r.Data)
			}
			names = append(names, r.Name)
		}
		ok(t, q.Drop(len(some)))
	}
	return names
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// onDisk are the names of all records in the files of a directory.
func onDisk(t *testing.T, dir string) (names []string, files int) {
	t.Helper()
	all, err := numbers(dir)
	ok(t, err)
	for _, n := range all {
		content, err := os.ReadFile((&Queue{dir: dir}).pathOf(n))
		ok(t, err)
		ok(t, scan(bytes.NewReader(content), int64(len(content)), func(name string, _, _ int64) { names = append(names, name) }))
	}
	return names, len(all)
}

func TestRecordsComeInOrderAndOutliveTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	q := newQueue(t, dir, create)
	q.most = 30 // two records in a file
	appendAll(t, q, "a", "b", "c", "b", "d", "e")
	if q.Len() != 5 || !q.Has("c") || q.Has("x") || q.Idle() || q.Bytes() != 5*(headBytes+6) {
		t.Errorf("%d records of %d bytes", q.Len(), q.Bytes())
	}
	some, err := q.Next(t.Context())
	ok(t, err)
	same(t, "the first taking", []string{some[0].Name, some[1].Name}, "a", "b")
	ok(t, q.Drop(3))
	if _, files := onDisk(t, dir); files != 2 || q.Has("b") {
		t.Errorf("%d files are left, and the queue has b: %v", files, q.Has("b"))
	}
	for range 2 {
		ok(t, q.Close())
	}
	if err := q.Append(t.Context(), "f", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed queue took a record: %v", err)
	}

	q = newQueue(t, dir, create)
	appendAll(t, q, "f")
	// What was dropped of a file that others are in may come again.
	same(t, "after a restart", drain(t, q), "c", "d", "e", "f")
	if names, files := onDisk(t, dir); files != 0 || !q.Idle() {
		t.Errorf("the queue is empty, and %d files hold %v", files, names)
	}
	appendAll(t, q, "a")
	same(t, "a name that was dropped", drain(t, q), "a")
}

func TestNextWaits(t *testing.T) {
	t.Parallel()
	q := newQueue(t, t.TempDir(), create)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Next(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("of an empty queue came %v", err)
	}
	got := make(chan string)
	go func() {
		some, _ := q.Next(t.Context())
		got <- some[0].Name
	}()
	appendAll(t, q, "a")
	if name := <-got; name != "a" {
		t.Errorf("%s came", name)
	}
}

// A crash leaves a file as it was synced, and of what was not, any part.
func TestWhatACrashLeftHalfWrittenHidesNothing(t *testing.T) {
	t.Parallel()
	var whole []byte
	ends := []int{0}
	for _, name := range []string{"a", "bb", "c"} {
		whole = appendRecord(whole, name, dataOf(name))
		ends = append(ends, len(whole))
	}
	names := []string{"a", "bb", "c"}
	read := func(content []byte) (got []string) {
		ok(t, scan(bytes.NewReader(content), int64(len(content)), func(name string, _, _ int64) { got = append(got, name) }))
		return got
	}
	for n := range whole {
		before := 0 // records that end before n
		for before < 3 && ends[before+1] <= n {
			before++
		}
		same(t, fmt.Sprint("cut off at ", n), read(whole[:n]), names[:before]...)
		same(t, fmt.Sprint("zeros from ", n), read(append(bytes.Clone(whole[:n]), make([]byte, 50)...)), names[:before]...)
		broken := bytes.Clone(whole)
		broken[n] ^= 0x40
		same(t, fmt.Sprint("broken at ", n), read(broken), names[:before]...)
	}
	same(t, "whole", read(whole), names...)
}

func FuzzScan(f *testing.F) {
	f.Add(appendRecord(appendRecord(nil, "a", []byte("x")), "b", nil))
	f.Fuzz(func(t *testing.T, content []byte) {
		var again []byte
		err := scan(bytes.NewReader(content), int64(len(content)), func(name string, at, data int64) {
			again = appendRecord(again, name, content[at+headBytes+int64(len(name)):][:data])
		})
		if err != nil || !bytes.HasPrefix(content, again) {
			t.Errorf("%v: what was read is not what is there", err)
		}
	})
}

// forgetful is a disk that has of a file only what was synced.
type forgetful struct {
	disk
	unsynced []byte
	syncs    *int
	hold     chan struct{} // nil, or a sync takes one
	write    func([]byte) ([]byte, error)
	fail     error // of the next sync
}

func (d *forgetful) Write(p []byte) (int, error) {
	var err error
	if d.write != nil {
		p, err = d.write(p)
	}
	d.unsynced = append(d.unsynced, p...)
	return len(p), err
}

func (d *forgetful) Sync() error {
	if d.hold != nil {
		<-d.hold
	}
	*d.syncs++
	if d.fail != nil {
		return d.fail
	}
	_, err := d.disk.Write(d.unsynced)
	d.unsynced = nil
	return err
}

func TestOneSyncForAllThatWait(t *testing.T) {
	t.Parallel()
	dir, hold, syncs := t.TempDir(), make(chan struct{}, 2), 0
	q := newQueue(t, dir, func(path string) (disk, error) {
		f, err := create(path)
		return &forgetful{disk: f, syncs: &syncs, hold: hold}, err
	})
	var all sync.WaitGroup
	send := func(name string) {
		all.Go(func() {
			if err := q.Append(context.Background(), name, dataOf(name)); err != nil {
				t.Error(err)
			}
			if names, _ := onDisk(t, dir); !slices.Contains(names, name) {
				t.Errorf("%s counts as synced, and on the disk are %v", name, names)
			}
		})
	}
	waits := func(n int) func() bool {
		return func() bool {
			q.mu.Lock()
			defer q.mu.Unlock()
			return q.writing && (q.group == nil && n == 0 || q.group != nil && len(q.group.items) == n)
		}
	}
	send("first")
	until(t, "the first is being synced", waits(0))
	for n := range 20 {
		send(fmt.Sprint("n", n))
	}
	until(t, "20 wait for the next", waits(20))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Append(ended, "impatient", dataOf("impatient")); !errors.Is(err, context.Canceled) {
		t.Errorf("who waits no longer got %v", err)
	}
	hold <- struct{}{}
	hold <- struct{}{}
	all.Wait()
	if syncs != 2 {
		t.Errorf("%d syncs for 22 records, of which 21 came during the first", syncs)
	}
}

// The file that is being written to stays, although nothing else is in it any more.
func TestTheQueueIsEmptiedWhileItIsWrittenTo(t *testing.T) {
	t.Parallel()
	dir, hold, syncs := t.TempDir(), make(chan struct{}, 2), 0
	q := newQueue(t, dir, func(path string) (disk, error) {
		f, err := create(path)
		return &forgetful{disk: f, syncs: &syncs, hold: hold}, err
	})
	hold <- struct{}{}
	appendAll(t, q, "a")
	ended := make(chan error)
	go func() { ended <- q.Append(context.Background(), "b", dataOf("b")) }()
	until(t, "b is being synced", func() bool { q.mu.Lock(); defer q.mu.Unlock(); return q.writing })
	same(t, "before it", drain(t, q), "a")
	hold <- struct{}{}
	ok(t, <-ended)
	if names, _ := onDisk(t, dir); !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("b counts as synced, and on the disk are %v", names)
	}
	same(t, "after it", drain(t, q), "b")
	if _, files := onDisk(t, dir); files != 0 {
		t.Errorf("%d files are left", files)
	}
}

func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited 10 s until %s", what)
		}
	}
}

// After a sync that failed the system may have thrown away what was to be synced, and
// say that all is well to the next one.
func TestAFileThatFailedIsGivenUp(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for name, fault := range map[string]func(*forgetful){
		"nothing was written": func(d *forgetful) { d.write = func([]byte) ([]byte, error) { return nil, full } },
		"half was written":    func(d *forgetful) { d.write = func(p []byte) ([]byte, error) { return p[:len(p)/2], full } },
		"it was not synced":   func(d *forgetful) { d.fail = full },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, syncs := t.TempDir(), 0
			var newest *forgetful
			var refuse error
			q := newQueue(t, dir, func(path string) (disk, error) {
				if refuse != nil {
					return nil, refuse
				}
				f, err := create(path)
				newest = &forgetful{disk: f, syncs: &syncs}
				return newest, err
			})
			fails := func(name string) {
				t.Helper()
				if err := q.Append(t.Context(), name, dataOf(name)); !errors.Is(err, full) || q.Has(name) {
					t.Errorf("%s was taken: %v", name, err)
				}
			}
			appendAll(t, q, "a")
			fault(newest)
			fails("b")
			refuse = full
			fails("b")
			refuse = nil
			appendAll(t, q, "b", "c")
			fault(newest)
			fails("d")
			ok(t, q.Close())
			q = newQueue(t, dir, create)
			same(t, "after a restart", drain(t, q), "a", "b", "c")
			if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
				t.Errorf("left over: %v %v", left, err)
			}
		})
	}
}

func TestADirectoryThatCannotBeIsAnError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	ok(t, os.WriteFile(path, nil, 0o600))
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "intake") {
		t.Error(err)
	}
}
