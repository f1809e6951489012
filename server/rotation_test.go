package server_test

import (
	"os"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestSecretRotation changes the webhook secret while staging is done and prod is
// not, with an empty disk: GitHub still signs with the old one, and so is the record
// from which the server must start. In the end the record is signed with the new one,
// which is the only one that Recorded takes.
func TestSecretRotation(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.StoryToStaging()
	w.StopServer()
	if err := os.RemoveAll(w.DataDir); err != nil {
		t.Fatal(err)
	}
	w.Vars = map[string]string{"GITHUB_APP_WEBHOOK_SECRET": "a new secret", "STAGECOACH_OLD_WEBHOOK_SECRETS": servertest.Secret}
	if _, err := w.Ledger(); err == nil {
		t.Fatal("the record is not signed with the old secret's key")
	}
	w.StartServer()
	w.StoryToProd()
	for _, fault := range w.Faults() {
		t.Error(fault)
	}
}
