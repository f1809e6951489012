package server_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// TestTheBinaryPlaysTheStory starts the product as people do, with the
// environment alone, and with its pace.
func TestTheBinaryPlaysTheStory(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	w.Vars = map[string]string{"STAGECOACH_PACE": ""}
	w.StartProcess()
	w.InstallApp()
	w.Story()
	for _, fault := range w.Faults() {
		t.Error(fault)
	}
	if code := w.Terminate(); code != 0 {
		t.Errorf("exit code %d after SIGTERM\n%s", code, w.Output())
	}
	if t.Failed() {
		t.Log(w.Sketch())
	}
}
