package ghapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

const oneIssue = "/repos/{owner}/{repo}/issues/{issue_number}"

// state is one that has nothing but a revision.
func (w *world) state(revision int64) *promotion.State {
	return &promotion.State{Version: promotion.StateVersion, Revision: revision, Repo: w.repo()}
}

// bigState is one that overflows: text that does not compress.
func (w *world) bigState(revision int64) *promotion.State {
	s := w.state(revision)
	for i := range 3000 {
		s.Problems = append(s.Problems, promotion.Problem{Key: fmt.Sprintf("%x", noise(i)), Text: fmt.Sprintf("%x", noise(-i-1))})
	}
	return s
}

// noise is a number that looks random and is not.
func noise(i int) uint64 {
	x := uint64(i+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return (x ^ x>>27) * 0x94d049bb133111eb
}

// save writes a state that must be written and returns it with its issue.
func (w *world) save(s *promotion.State, look bool) *promotion.State {
	w.t.Helper()
	issue, err := w.SaveLedger(w.t.Context(), s, look)
	must(w.t, err)
	saved := *s
	saved.Issue = issue
	return &saved
}

func (w *world) load(issue int) *promotion.State {
	w.t.Helper()
	s, err := w.LoadLedger(w.t.Context(), w.repo(), issue)
	must(w.t, err)
	return s
}

func TestLedgerIsMadeFoundAndUpdated(t *testing.T) {
	w := newWorld(t)
	_, err := w.LoadLedger(t.Context(), w.repo(), 0)
	var about *ghapi.LedgerError
	if !errors.Is(err, ledger.ErrNone) || !errors.As(err, &about) || about.Issue != 0 {
		t.Errorf("without an issue: %v", err)
	}
	var s *promotion.State
	w.costs("1 writes, 0 reads", func() { s = w.save(w.state(1), false) })
	issue := w.Issues(w.gitops)[0]
	if s.Issue != issue.Number || issue.Author != w.app.Bot || issue.Title != ledger.Title || strings.Join(issue.Labels, ",") != "stagecoach" {
		t.Errorf("GitHub has %+v", issue)
	}
	w.API = w.newAPI()
	w.costs("0 writes, 1 reads", func() {
		if got := w.load(0); got.Issue != s.Issue || got.Revision != 1 {
			t.Errorf("found %+v", got)
		}
	})
	s.Revision = 2
	w.costs("1 writes, 0 reads", func() { w.save(s, false) })
	w.costs("0 writes, 1 reads", func() {
		if got := w.load(s.Issue); got.Revision != 2 {
			t.Errorf("loaded revision %d", got.Revision)
		}
	})
	if n := len(w.Issues(w.gitops)); n != 1 {
		t.Errorf("there are %d issues", n)
	}
}

// A body in an issue that is not the app's counts for nothing, whoever copied it.
func TestOnlyTheAppsOwnIssueCounts(t *testing.T) {
	w := newWorld(t)
	octocat := w.As("octocat")
	s := w.save(w.state(5), false)
	copied, err := octocat.CreateIssue(w.gitops, ledger.Title, w.Issues(w.gitops)[0].Body)
	must(t, err)
	must(t, octocat.EditIssue(w.gitops, copied, map[string]any{"labels": []string{"stagecoach"}}))
	if got := w.load(0); got.Issue != s.Issue {
		t.Errorf("found #%d, a copy", got.Issue)
	}
	if _, err := w.LoadLedger(t.Context(), w.repo(), copied); !errors.Is(err, ledger.ErrForged) {
		t.Errorf("a copy was read: %v", err)
	}
}

func TestAPersonsIssueIsNotTaken(t *testing.T) {
	w := newWorld(t)
	number, err := w.As("octocat").CreateIssue(w.gitops, "Mine", "")
	must(t, err)
	must(t, w.As("octocat").EditIssue(w.gitops, number, map[string]any{"labels": []string{"stagecoach"}}))
	_, err = w.LoadLedger(t.Context(), w.repo(), 0)
	var about *ghapi.LedgerError
	if !errors.As(err, &about) || about.Issue != 0 {
		t.Errorf("load: %v", err)
	}
	if s := w.save(w.state(1), true); s.Issue == number {
		t.Error("the ledger was written into a person's issue")
	}
}

func TestADamagedLedgerIsNoticedAndMended(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.state(1), false)
	s = w.save(s, false) // signed for its issue
	octocat := w.As("octocat")
	body := w.Issues(w.gitops)[0].Body
	head := fmt.Sprintf("stagecoach-ledger %d ", promotion.StateVersion) // the repository's ID follows
	for name, c := range map[string]struct {
		change map[string]any
		want   error
	}{
		"emptied": {map[string]any{"body": ""}, ledger.ErrNone},
		"edited":  {map[string]any{"body": strings.Replace(body, head, head+"1", 1)}, ledger.ErrForged},
		"closed":  {map[string]any{"state": "closed"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			must(t, octocat.EditIssue(w.gitops, s.Issue, c.change))
			for _, issue := range []int{0, s.Issue} {
				_, err := w.LoadLedger(t.Context(), w.repo(), issue)
				var about *ghapi.LedgerError
				if !errors.Is(err, c.want) || c.want != nil && (!errors.As(err, &about) || about.Issue != s.Issue) {
					t.Errorf("load of issue %d: %v", issue, err)
				}
			}
			w.costs("1 writes, 0 reads", func() { w.save(s, false) })
			if issue := w.Issues(w.gitops)[0]; issue.Body != body || issue.State != "open" {
				t.Errorf("GitHub has %+v", issue)
			}
		})
	}
}

func TestALostLabelComesBack(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.state(1), false)
	must(t, w.As("octocat").EditIssue(w.gitops, s.Issue, map[string]any{"labels": []string{"urgent"}}))
	w.costs("2 writes, 0 reads", func() { w.save(s, false) })
	if got := strings.Join(w.Issues(w.gitops)[0].Labels, ","); got != "stagecoach,urgent" && got != "urgent,stagecoach" {
		t.Errorf("labels %s", got)
	}
}

func TestAMadeIssueIsAdopted(t *testing.T) {
	w := newWorld(t)
	s := w.state(1)
	s.Local.Creating = w.now
	w.loseAnswer("POST /repos/{owner}/{repo}/issues")
	if _, err := w.SaveLedger(t.Context(), s, false); err == nil || promotion.IsTerminal(err) {
		t.Fatalf("a lost answer: %v", err)
	}
	w.costs("1 writes, 1 reads", func() { s = w.save(s, true) })
	if slept := w.waits(); len(slept) != 1 || slept[0] != 3*time.Second {
		t.Errorf("waited %v before it believed the list", slept)
	}
	if n := len(w.Issues(w.gitops)); n != 1 || w.load(s.Issue).Revision != 1 {
		t.Errorf("there are %d issues", n)
	}
}

// gone lets GitHub answer as for a deleted issue.
func (w *world) gone(number, status int) {
	w.Fault(ghsim.Fault{
		Route: "*" + oneIssue, Status: status, Body: `{"message":"This issue was deleted"}`, Times: -1,
		Match: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, fmt.Sprintf("/issues/%d", number)) },
	})
	w.Fault(ghsim.Fault{
		Route: "GET /repos/{owner}/{repo}/issues", Status: 200, Body: `[]`, Times: 1,
	})
}

func TestADeletedIssueIsMadeAnew(t *testing.T) {
	for _, status := range []int{http.StatusGone, http.StatusNotFound} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			w := newWorld(t)
			s := w.save(w.state(1), false)
			w.gone(s.Issue, status)
			if _, err := w.LoadLedger(t.Context(), w.repo(), s.Issue); !errors.Is(err, ghapi.ErrGone) {
				t.Errorf("load: %v", err)
			}
			s.Revision = 2
			number, err := w.SaveLedger(t.Context(), s, false)
			var remade *ghapi.Remade
			if !errors.As(err, &remade) || remade.Old != s.Issue || remade.New != number || number == s.Issue {
				t.Fatalf("save: #%d, %v", number, err)
			}
			if got := w.load(number); got.Revision != 2 || got.Issue != number {
				t.Errorf("loaded %+v", got)
			}
		})
	}
}

// A 404 right after the issue was made is a replica that does not know it yet.
func TestAnIssueThatIsNotKnownYetIsNotMadeTwice(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.state(1), false)
	w.Fault(ghsim.Fault{Route: "PATCH " + oneIssue, Status: 404, Body: `{"message":"Not Found"}`})
	var remade *ghapi.Remade
	if _, err := w.SaveLedger(t.Context(), s, false); err == nil || errors.Is(err, ghapi.ErrGone) || errors.As(err, &remade) {
		t.Errorf("save: %v", err)
	}
	w.save(s, false)
	if n := len(w.Issues(w.gitops)); n != 1 {
		t.Errorf("there are %d issues", n)
	}
}

func TestAnOldBodyInTheAnswerIsAnError(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.state(1), false)
	s.Revision = 2
	w.Fault(ghsim.Fault{Route: "PATCH " + oneIssue, Status: 200, Body: `{"number":1,"body":"old","labels":[{"name":"stagecoach"}]}`})
	if _, err := w.SaveLedger(t.Context(), s, false); err == nil || !strings.Contains(err.Error(), "kept another body") {
		t.Errorf("save: %v", err)
	}
}

func TestOverflow(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.bigState(1), false)
	parts := len(w.Comments(w.gitops, s.Issue))
	if parts == 0 {
		t.Fatal("the state did not overflow")
	}
	w.API = w.newAPI()
	if got := w.load(0); got.Revision != 1 || len(got.Problems) != 3000 || got.Issue != s.Issue {
		t.Errorf("loaded revision %d with %d problems", got.Revision, len(got.Problems))
	}
	// What is there already is not written again.
	w.costs("1 writes, 0 reads", func() { w.save(s, false) })
	// Of another state the old parts go, but not what others wrote.
	_, err := w.As("octocat").Comment(w.gitops, s.Issue, w.Comments(w.gitops, s.Issue)[0].Body)
	must(t, err)
	s.Problems[0].Text = "another"
	w.save(s, false)
	left := w.Comments(w.gitops, s.Issue)
	if len(left) != parts+1 || left[0].Author != "octocat" {
		t.Errorf("there are %d comments, want %d and octocat's", len(left), parts)
	}
	if got := w.load(s.Issue); got.Problems[0].Text != "another" {
		t.Errorf("loaded %q", got.Problems[0].Text)
	}
	must(t, w.As("octocat").EditComment(w.gitops, left[1].ID, "edited"))
	for _, issue := range []int{0, s.Issue} {
		if _, err := w.LoadLedger(t.Context(), w.repo(), issue); !errors.Is(err, ledger.ErrIncomplete) {
			t.Errorf("load with an edited part: %v", err)
		}
	}
	w.save(s, false)
	if got := w.load(s.Issue); len(got.Problems) != 3000 {
		t.Error("the part was not written again")
	}
}

// Whenever the process dies, the issue holds a state that can be read, or none yet.
func TestOverflowIsWrittenBeforeTheBodyThatNamesIt(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.bigState(1), false)
	s.Revision = 2
	s.Problems[0].Text = "another"
	w.Fault(ghsim.Fault{Route: "PATCH " + oneIssue, Status: 502})
	if _, err := w.SaveLedger(t.Context(), s, false); err == nil || promotion.IsTerminal(err) {
		t.Fatalf("save: %v", err)
	}
	if got := w.load(s.Issue); got.Revision != 1 {
		t.Errorf("loaded revision %d", got.Revision)
	}
	w.save(s, false)
	if got := w.load(s.Issue); got.Revision != 2 {
		t.Errorf("loaded revision %d", got.Revision)
	}
}

func TestANewerLedgerIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.save(w.state(7), false)
	if _, err := w.SaveLedger(t.Context(), w.state(3), true); !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("save over a higher revision: %v", err)
	}
}

func TestWithoutIssues(t *testing.T) {
	w := newWorld(t, func(o *ghsim.RepoOptions) { o.NoIssues = true })
	if _, err := w.SaveLedger(t.Context(), w.state(1), false); !promotion.IsTerminal(err) || !errors.Is(err, promotion.ErrIssuesOff) || !strings.Contains(err.Error(), "disabled") {
		t.Errorf("save: %v", err)
	}
	w.opts.LedgerKeys = nil
	if _, err := w.newAPI().SaveLedger(t.Context(), w.state(1), false); !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "STAGECOACH_LEDGER_KEY") {
		t.Errorf("save without a key: %v", err)
	}
}

// After a rename, names are those of before until the event arrives.
func TestARenamedRepositoryKeepsItsLedger(t *testing.T) {
	w := newWorld(t)
	s := w.save(w.state(1), false)
	_, err := w.RenameRepo(w.gitops, "deployments")
	must(t, err)
	if got := w.load(s.Issue); got.Issue != s.Issue {
		t.Errorf("loaded %+v", got)
	}
	s.Revision = 2
	w.save(s, false)
	if got := w.load(0); got.Revision != 2 {
		t.Errorf("loaded revision %d", got.Revision)
	}
	if n := len(w.Issues(w.gitops)); n != 1 {
		t.Errorf("there are %d issues", n)
	}
}

// Two servers, or a list that lagged: the higher revision counts.
func TestOfSeveralLedgersTheHighestRevisionCounts(t *testing.T) {
	w := newWorld(t)
	for _, revision := range []int64{3, 8, 5} {
		w.save(w.state(revision), false)
	}
	if got := w.load(0); got.Revision != 8 || got.Issue != 2 {
		t.Errorf("found revision %d in #%d", got.Revision, got.Issue)
	}
}
