package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

var recordLine = regexp.MustCompile(`<!-- stagecoach-ledger (\d+) (\d+ \d+ \d+ \S+ \S+) \S+ -->`)

// byNewer is a tracking issue's body as a version to come would write it: the form of
// the hidden line stays, see promotion/ledger.
func byNewer(t *testing.T, w *servertest.World, body string) string {
	t.Helper()
	found := recordLine.FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("there is no record in\n%s", body)
	}
	version, err := strconv.Atoi(found[1])
	must(t, err)
	signed := strconv.Itoa(version+1) + " " + found[2]
	mac := hmac.New(sha256.New, w.LedgerKey())
	mac.Write([]byte("stagecoach-ledger\n" + signed))
	signature := strings.ReplaceAll(base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), "-", ".")
	return strings.Replace(body, found[0], "<!-- stagecoach-ledger "+signed+" "+signature+" -->", 1)
}

// TestAnOldBinaryLeavesANewerRecordAlone: a version to come has written the record; the
// binary is put back, with its data of before or without. It promotes nothing, writes
// nothing, and says why. When the record is one that it knows, it goes on.
func TestAnOldBinaryLeavesANewerRecordAlone(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*testing.T, *servertest.World){
		"with its data": func(*testing.T, *servertest.World) {}, "with an empty disk": forget,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := servertest.New(t, servertest.Files())
			w.Patience = 3 * time.Minute
			w.StartProcess()
			w.InstallApp()
			w.StoryToStaging()
			w.Settle()
			w.Terminate()
			issue, _ := w.TrackingIssue()
			write(t, w, issue.Number, byNewer(t, w, issue.Body))
			newer, _ := w.TrackingIssue()
			before(t, w)
			w.StartProcess()
			mark := w.Sim.Mark()
			comment, err := w.Sim.As("octocat").Comment(w.Repo, issue.Number, "/promote prod")
			must(t, err)
			w.Until("it says that it must be upgraded", func() bool {
				return strings.Contains(w.Output(), "upgrade this server") && w.Events().Stats.Retrying > 0
			})
			if c := w.Sim.Counts(mark); c.Writes+c.Pushes > 0 {
				t.Errorf("it wrote:\n%s", servertest.List(w.Since(mark)))
			}
			if now, _ := w.TrackingIssue(); now.Body != newer.Body || len(w.Open()) > 0 {
				t.Errorf("the tracking issue was %q, and is %q", newer.Body, now.Body)
			}
			write(t, w, issue.Number, issue.Body)
			w.Until("it goes on", func() bool {
				return len(w.Open()) == 1 && strings.Join(w.Reactions(issue.Number, comment), " ") == "eyes rocket"
			})
		})
	}
}

// write puts a body into the tracking issue as the app, and nobody is told.
func write(t *testing.T, w *servertest.World, number int, body string) {
	t.Helper()
	defer w.Sim.LoseWebhooks(func(ghsim.Delivery) bool { return true })()
	bot, err := w.Sim.AsInstallation(w.Install)
	must(t, err)
	must(t, bot.Do(http.MethodPatch, "/repos/"+w.Repo.Owner+"/"+w.Repo.Name+"/issues/"+strconv.Itoa(number), map[string]any{"body": body}, nil))
}
