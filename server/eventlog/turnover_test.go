package eventlog

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/internal/bubble"
	"github.com/stagecoach-app/stagecoach/server/engine"
)

// onDisk lists the files below dir that hold text.
func onDisk(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	ok(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(text)) {
			files = append(files, filepath.Base(path))
		}
		return err
	}))
	return files
}

// Payloads name people. A day after their events are done no file has them any more,
// whatever way the events went, and although timers of other lanes are in the same
// files.
func TestPayloadsAreGoneFromTheDiskWithinADay(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) {
		dir := t.TempDir()
		const name = "mona@octo.example"
		eng, err := engine.Open(t.Context(), engine.Options{Dir: dir})
		ok(t, err)
		defer func() { _ = eng.Close() }()
		l := newLog(t, eng.JetStream(), Options{Alone: true, Partitions: 1, AsideFor: 2 * time.Hour})
		ok(t, l.Wake(t.Context(), "r1", time.Now().Add(1000*time.Hour)))
		for _, guid := range []string{"done", "tried", "replayed", "aside"} {
			_, err := l.Accept(t.Context(), guid, "push", "r2", []byte(name))
			ok(t, err)
		}
		ok(t, l.Wake(t.Context(), "r3", time.Now().Add(1000*time.Hour)))
		w := run(t, l)
		events, _ := w.take(4)
		ok(t, l.Done(t.Context(), events[0]))
		ok(t, l.Retry(t.Context(), events[1], time.Second, "again"))
		ok(t, l.SetAside(t.Context(), events[2], "enough"))
		ok(t, l.SetAside(t.Context(), events[3], "enough"))
		ok(t, l.Done(t.Context(), w.next()))
		ok(t, l.Replay(t.Context(), "replayed"))
		ok(t, l.Done(t.Context(), w.next()))
		if len(onDisk(t, dir, name)) == 0 {
			t.Error("it never was on disk: this test shows nothing")
		}
		time.Sleep(26 * time.Hour)
		if files := onDisk(t, dir, name); len(files) > 0 {
			t.Errorf("a day later it still is in %v", files)
		}
		if s, err := l.Stats(t.Context()); err != nil || s.Timers != 2 || s.Bytes > 10_000 || s.Aside != 0 {
			t.Errorf("%+v, %v", s, err)
		}
		w.stop()
		l.Close(context.Background())
	})
}
