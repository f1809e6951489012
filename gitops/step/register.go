package step

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Func runs one step. It computes every new file before it writes the first.
type Func func(context.Context, Workspace, Task) (Outcome, error)

// Register adds a step that a package of its own holds, because of the libraries
// that it brings along: a program has those steps whose packages it imports. It
// is for init functions; a second step of one name is a mistake and panics.
func Register(uses string, run Func) {
	if steps[uses] != nil {
		panic("step: " + uses + " is registered twice")
	}
	steps[uses] = run
}

// Decode checks a task's config against the step's vocabulary and reads it into
// out. The error is Terminal and names every problem.
func Decode(task Task, out any) error { return decode(task, out) }

// Refuse is fmt.Errorf for errors that trying again cannot help.
func Refuse(format string, args ...any) error { return terminalf(format, args...) }

// Locate returns where what a config's path names really stands, links followed,
// and what it is. One that leads out of the workspace or to nothing is Terminal.
func Locate(ctx context.Context, ws Workspace, p string) (string, Entry, error) {
	at, err := clean(p)
	if err == nil {
		at, err = resolve(ctx, ws, at, true)
	}
	if err != nil {
		return "", Entry{}, err
	}
	entry, err := ws.Stat(ctx, at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", Entry{}, terminalf("there is no %s%s", p, neighbour(ctx, ws, at))
	case err != nil:
		return "", Entry{}, fmt.Errorf("look at %s: %w", at, err)
	}
	return at, entry, nil
}

// Read reads the file that a config's path names, and returns where it really stands.
func Read(ctx context.Context, ws Workspace, p string) (file string, content []byte, err error) {
	return read(ctx, ws, p)
}
