package server_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestABackupIsACopy puts a copy of the data directory, taken while the server was stopped, onto another disk: the story
// goes on there as if nothing had been.
func TestABackupIsACopy(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.StoryToStaging()
	w.StopServer()
	moved := filepath.Join(t.TempDir(), "another-disk")
	must(t, os.CopyFS(moved, os.DirFS(w.DataDir)))
	must(t, os.RemoveAll(w.DataDir))
	w.DataDir = moved
	w.StartServer()
	w.StoryToProd()
	for _, fault := range w.Faults() {
		t.Error(fault)
	}
}
