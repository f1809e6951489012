package server_test

import (
	"os"
	"strings"
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

// TestTheOldSecretIsForgotten changes the webhook secret on both sides at once and nowhere names the old one. With its
// disk the server goes on. Without it the record is unknown to it: what GitHub's facts show is taken from there, no
// landed promotion runs again, the issue says what happened, and the story ends as it should.
func TestTheOldSecretIsForgotten(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]bool{"the disk is kept": false, "the disk is lost too": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := servertest.New(t, servertest.Files())
			w.StartServer()
			w.InstallApp()
			w.StoryToStaging()
			w.StopServer()
			if lose {
				must(t, os.RemoveAll(w.DataDir))
			}
			w.Vars = map[string]string{"GITHUB_APP_WEBHOOK_SECRET": "a new secret"}
			must(t, w.Sim.SetWebhook(w.App.ID, "http://"+w.Addr+"/api/github/hook", "a new secret"))
			landed := len(w.Sim.PullRequests(w.Repo))
			w.StartServer()
			if lose {
				w.Until("the issue says so", func() bool {
					issue, _ := w.TrackingIssue()
					return strings.Contains(issue.Body, "The record in this issue could not be used and was made anew from what GitHub shows")
				})
			}
			w.StoryToProd()
			if got := len(w.Sim.PullRequests(w.Repo)); got != landed+1 {
				t.Errorf("%d pull requests after prod's, there were %d before", got, landed)
			}
			for _, stage := range []string{"staging", "prod"} {
				if !w.Recorded(stage) {
					t.Errorf("%s is not recorded", stage)
				}
			}
			for _, fault := range w.Faults() {
				t.Error(fault)
			}
		})
	}
}
