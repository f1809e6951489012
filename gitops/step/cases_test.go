package step_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// TestCases runs testdata/<step>/<case>: config.json (and freight.json) over the
// folder before gives the folder after, to the byte and with modes and links; or
// fails with what error.txt says and changes nothing; or says no in the words of
// failed.txt. output.json is its output, metadata.json what it asks to keep, mounts.txt lists the checkouts below the root.
func TestCases(t *testing.T) {
	for _, uses := range step.Names() {
		cases, err := filepath.Glob(filepath.Join("testdata", uses, "*"))
		if err != nil || len(cases) == 0 {
			t.Errorf("%s has no cases", uses)
		}
		for _, dir := range cases {
			t.Run(uses+"/"+filepath.Base(dir), func(t *testing.T) { runCase(t, uses, dir) })
		}
	}
}

var update = flag.Bool("update", false, "write the folders after of cases that have none; read them before you keep them")

// keep writes what a case gave as its folder after.
func keep(t *testing.T, dir string, ws *steptest.Workspace) {
	t.Helper()
	if _, err := os.Stat(dir); !*update || !os.IsNotExist(err) {
		return
	}
	for name, f := range ws.Files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		write := func() error { return os.WriteFile(at, []byte(f.Content), 0o644) }
		if f.Mode == step.ModeLink {
			write = func() error { return os.Symlink(f.Content, at) }
		}
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
}

func runCase(t *testing.T, uses, dir string) {
	ws := tree(t, filepath.Join(dir, "before"))
	ws.Mount = strings.Fields(text(t, dir, "mounts.txt"))
	task := step.Task{Uses: uses, Config: json.RawMessage(text(t, dir, "config.json")), Freight: new(promotion.Freight)}
	if freight := text(t, dir, "freight.json"); freight != "" {
		if err := json.Unmarshal([]byte(freight), &task.Freight.Artifacts); err != nil {
			t.Fatal(err)
		}
	}
	want := filepath.Join(dir, "after")
	wantErr := text(t, dir, "error.txt")
	if wantErr != "" {
		want = filepath.Join(dir, "before")
	}
	outcome, err := step.Run(t.Context(), ws, task)
	switch {
	case wantErr == "" && err != nil:
		t.Fatal(err)
	case wantErr != "" && (err == nil || !strings.Contains(err.Error(), wantErr) || !promotion.IsTerminal(err)):
		t.Errorf("got %v\nwant a Terminal error that says %s", err, wantErr)
	case wantErr != "" && len(ws.Writes) > 0:
		t.Errorf("it failed after it wrote %q", ws.Writes)
	}
	if err == nil {
		keep(t, want, ws)
	}
	if diff := cmp.Diff(tree(t, want).Files, ws.Files); diff != "" {
		t.Errorf("the tree (- want, + got):\n%s", diff)
	}
	if message := text(t, dir, "commitMessage.txt"); message != "" {
		var got string
		if err := json.Unmarshal(outcome.Output["commitMessage"], &got); err != nil || got != message {
			t.Errorf("commitMessage is\n%s\nwant\n%s", got, message)
		}
	}
	if failed := text(t, dir, "failed.txt"); outcome.Failed != (failed != "") || failed != "" && outcome.Message != failed {
		t.Errorf("failed is %v: %s, want %q", outcome.Failed, outcome.Message, failed)
	}
	if metadata := text(t, dir, "metadata.json"); metadata != "" {
		var want []promotion.MetadataUpdate
		if err := json.Unmarshal([]byte(metadata), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, outcome.Metadata); diff != "" {
			t.Errorf("metadata (- want, + got):\n%s", diff)
		}
	}
	if output := text(t, dir, "output.json"); output != "" {
		sameOutput(t, output, outcome.Output)
	}
	again(t, uses, task, ws, wantErr == "")
}

// sameOutput compares outputs with numbers to the digit.
func sameOutput(t *testing.T, want string, got map[string]json.RawMessage) {
	t.Helper()
	exact := func(text string) (v any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	raw, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(exact(want), exact(string(raw))); diff != "" {
		t.Errorf("output (- want, + got):\n%s", diff)
	}
}

// again runs a step that succeeded once more: it finds everything done.
func again(t *testing.T, uses string, task step.Task, ws *steptest.Workspace, succeeded bool) {
	t.Helper()
	if !succeeded {
		return
	}
	before := ws.Contents()
	ws.Writes = nil
	if _, err := step.Run(t.Context(), ws, task); err != nil {
		t.Fatalf("the second run failed: %v", err)
	}
	if diff := cmp.Diff(before, ws.Contents()); diff != "" || (len(ws.Writes) > 0 && uses != "copy") {
		t.Errorf("the second run wrote %q:\n%s", ws.Writes, diff)
	}
}

// text returns a case's file without the last line end, "" when it has none.
func text(t *testing.T, dir, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(raw), "\n")
}

// tree reads a folder into a workspace, links and executable bits included. As
// git keeps no empty folder, one that is not there is empty.
func tree(t *testing.T, dir string) *steptest.Workspace {
	t.Helper()
	ws := steptest.New(nil)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == dir:
			return nil
		case err != nil || d.IsDir():
			return err
		}
		file := steptest.File{Mode: step.ModeFile}
		if d.Type() == fs.ModeSymlink {
			file.Mode = step.ModeLink
			file.Content, err = os.Readlink(name)
		} else {
			var raw []byte
			raw, err = os.ReadFile(name)
			file.Content = string(raw)
		}
		if info, infoErr := d.Info(); infoErr == nil && file.Mode == step.ModeFile && info.Mode()&0o100 != 0 {
			file.Mode = step.ModeExecutable
		}
		rel, relErr := filepath.Rel(dir, name)
		if relErr != nil {
			return relErr
		}
		ws.Files[filepath.ToSlash(rel)] = file
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}
