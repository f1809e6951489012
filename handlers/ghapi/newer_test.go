package ghapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// newer asks for a record that is newer than a state, at a cost.
func (w *world) newer(s *promotion.State, costs string) (got *promotion.State, err error) {
	w.t.Helper()
	w.costs(costs, func() { got, err = w.NewerLedger(w.t.Context(), s) })
	return got, err
}

func TestNewerLedger(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.state(3), false)
	w.API = w.newAPI()
	for revision, is := range map[int64]bool{2: true, 3: false, 4: false} {
		w.ForgetAnswers()
		s.Revision = revision
		got, err := w.newer(s, "0 writes, 1 reads")
		must(t, err)
		if (got != nil) != is || is && (got.Revision != 3 || got.Issue != s.Issue) {
			t.Errorf("newer than %d: %+v", revision, got)
		}
	}
	s.Issue, s.Revision = 0, 3
	w.ForgetAnswers()
	if got, err := w.newer(s, "0 writes, 1 reads"); got != nil || err != nil {
		t.Errorf("without its number: %+v, %v", got, err)
	}
	s.Revision = 1
	w.ForgetAnswers()
	if got, err := w.newer(s, "0 writes, 1 reads"); err != nil || got == nil || got.Revision != 3 {
		t.Errorf("without its number, newer than 1: %+v, %v", got, err)
	}
}

// What a big record has in comments is read only when it is newer.
func TestNewerLedgerReadsNoPartsForNothing(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.bigState(3), false)
	w.API = w.newAPI()
	if got, err := w.newer(s, "0 writes, 1 reads"); got != nil || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	s.Revision = 2
	w.ForgetAnswers()
	if got, err := w.newer(s, "0 writes, 2 reads"); err != nil || got == nil || len(got.Problems) != len(s.Problems) {
		t.Errorf("%+v, %v", got, err)
	}
}

// One that was deleted was made anew, with another number.
func TestNewerLedgerInAnIssueThatWasMadeAnew(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.state(3), false)
	must(t, w.SetPermission(w.gitops, "octocat", "admin"))
	must(t, w.As("octocat").DeleteIssue(w.gitops, s.Issue))
	if got, err := w.newer(s, "0 writes, 2 reads"); got != nil || err != nil {
		t.Errorf("nothing is there: %+v, %v", got, err)
	}
	made := w.save(w.state(4), false)
	w.ForgetAnswers()
	if got, err := w.newer(s, "0 writes, 2 reads"); err != nil || got == nil || got.Issue != made.Issue || got.Revision != 4 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Nothing is taken that the app did not write here.
func TestNewerLedgerTakesNothingForeign(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.state(3), false)
	body := w.Issues(w.gitops)[0].Body
	s.Revision = 1
	for name, text := range map[string]string{
		"emptied": "", "tampered with": strings.Replace(body, fmt.Sprint("stagecoach-ledger ", promotion.StateVersion, " "), fmt.Sprint("stagecoach-ledger ", promotion.StateVersion, " 9"), 1),
		"made for another issue": strings.Replace(body, " 0 3 ", " 77 3 ", 1),
	} {
		must(t, w.As("octocat").EditIssue(w.gitops, s.Issue, map[string]any{"body": text}))
		if got, err := w.NewerLedger(t.Context(), s); got != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// What cannot be read is unknown, not absent.
func TestNewerLedgerThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.state(3), false)
	less := map[string]string{"contents": "write"}
	must(t, w.SetInstallationPermissions(w.inst, less))
	w.API = w.newAPI()
	var missing *promotion.MissingPermission
	if _, err := w.NewerLedger(t.Context(), s); !errors.As(err, &missing) {
		t.Errorf("without the permission: %v", err)
	}
	w.Fault(ghsim.Fault{Route: "GET */issues/*", Status: http.StatusBadGateway})
	if _, err := w.NewerLedger(t.Context(), s); err == nil || errors.As(err, &missing) || promotion.IsTerminal(err) {
		t.Errorf("in an outage: %v", err)
	}
}
