package ghapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// without is a world without Issues.
func without(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(o *ghsim.RepoOptions) { o.NoIssues = true })
}

// tipped is a state that knows the tip of main.
func (w *world) tipped(s *promotion.State) *promotion.State {
	s.Repo.NoIssues = true
	s.Local.Tips = map[string]string{"main": w.Branches(w.gitops)["main"]}
	return s
}

// saveCheck writes a state and returns it as its caller keeps it.
func (w *world) saveCheck(s *promotion.State, look bool) *promotion.State {
	w.t.Helper()
	at, err := w.SaveLedgerCheck(w.t.Context(), s, look)
	must(w.t, err)
	saved := *s
	saved.Local.LedgerCheck = at
	return &saved
}

func (w *world) loadCheck(shallow bool) (*promotion.State, error) {
	w.t.Helper()
	repo := w.repo()
	repo.NoIssues = true
	return w.LoadLedgerCheck(w.t.Context(), repo, shallow)
}

func (w *world) push(n int) {
	w.t.Helper()
	for i := range n {
		_, err := w.As("octocat").Commit(w.gitops, "main", map[string]string{"README.md": fmt.Sprint(i, " of ", n)}, "Write on")
		must(w.t, err)
	}
}

// ledgerChecks are the check runs of the ledger, as "external ID on commit".
func (w *world) ledgerChecks() []string {
	var out []string
	for _, c := range w.CheckRuns(w.gitops) {
		out = append(out, c.ExternalID+" on "+c.HeadSHA[:7])
		if c.Name != ghapi.LedgerCheckName || c.Conclusion != "neutral" || utf8.RuneCountInString(c.Summary) > 65_535 {
			w.t.Errorf("check run %s %s with %d characters", c.Name, c.Conclusion, utf8.RuneCountInString(c.Summary))
		}
	}
	return out
}

func TestWithoutIssuesTheLedgerIsACheckRun(t *testing.T) {
	w := without(t)
	if _, err := w.loadCheck(false); !errors.Is(err, ledger.ErrNone) {
		t.Errorf("before there is one: %v", err)
	}
	var s *promotion.State
	w.costs("1 writes, 0 reads", func() { s = w.saveCheck(w.tipped(w.state(1)), false) })
	first := s.Local.LedgerCheck
	s.Revision = 2
	w.costs("1 writes, 0 reads", func() { s = w.saveCheck(s, false) })
	if s.Local.LedgerCheck != first || len(w.ledgerChecks()) != 1 {
		t.Errorf("on the same tip another one was made: %q", w.ledgerChecks())
	}
	w.push(1)
	s.Revision = 3
	s = w.saveCheck(w.tipped(s), false)
	if s.Local.LedgerCheck == first || len(w.ledgerChecks()) != 2 {
		t.Errorf("on a new tip none was made: %q", w.ledgerChecks())
	}
	w.API = w.newAPI()
	for _, shallow := range []bool{false, true} {
		got, err := w.loadCheck(shallow)
		must(t, err)
		if got.Revision != 3 || got.Issue != 0 || got.Local.LedgerCheck != s.Local.LedgerCheck {
			t.Errorf("loaded revision %d of #%d at %+v", got.Revision, got.Issue, got.Local.LedgerCheck)
		}
	}
	if c, _ := latestCheck(w); c.Title != "Nothing waits for anybody" || !strings.Contains(c.Summary, "Nothing waits for anybody.") {
		t.Errorf("it says %q: %s", c.Title, c.Summary)
	}
}

func latestCheck(w *world) (ghsim.CheckRun, bool) {
	all := w.CheckRuns(w.gitops)
	if len(all) == 0 {
		return ghsim.CheckRun{}, false
	}
	return slices.MaxFunc(all, func(a, b ghsim.CheckRun) int { return int(a.ID - b.ID) }), true
}

func TestTheLedgersCheckRunIsFoundWithinAHundredCommits(t *testing.T) {
	w := without(t)
	w.saveCheck(w.tipped(w.state(7)), false)
	w.push(99)
	if got, err := w.loadCheck(false); err != nil || got.Revision != 7 {
		t.Errorf("99 commits later: %v", err)
	}
	if _, err := w.loadCheck(true); !errors.Is(err, ledger.ErrNone) {
		t.Errorf("on the tip alone: %v", err)
	}
	w.push(1)
	if _, err := w.loadCheck(false); !errors.Is(err, ledger.ErrNone) {
		t.Errorf("100 commits later: %v", err)
	}
}

// A lost answer leaves a check run that nobody knows of.
func TestTheLedgersCheckRunIsAdopted(t *testing.T) {
	w := without(t)
	w.Fault(ghsim.Fault{Route: "POST /repos/{owner}/{repo}/check-runs", When: ghsim.After, Cut: true})
	s := w.tipped(w.state(1))
	s.Local.Creating = w.now
	if _, err := w.SaveLedgerCheck(t.Context(), s, false); err == nil {
		t.Fatal("the answer was not lost")
	}
	s.Revision = 2
	s = w.saveCheck(s, true)
	if all := w.ledgerChecks(); len(all) != 1 {
		t.Errorf("there are %q", all)
	}
	if got, err := w.loadCheck(false); err != nil || got.Revision != 2 || got.Local.LedgerCheck != s.Local.LedgerCheck {
		t.Errorf("loaded %+v: %v", got, err)
	}
	if len(w.slept) != 1 || w.slept[0] != 3e9 {
		t.Errorf("it waited %v, want the lag of lists once", w.slept)
	}
}

func TestALedgerThatOverflowsOnACommit(t *testing.T) {
	w := without(t)
	s := w.saveCheck(w.tipped(w.bigState(1)), false)
	want := len(w.ledgerChecks())
	if want < 2 {
		t.Fatalf("nothing overflows: %q", w.ledgerChecks())
	}
	for revision := int64(2); revision < 6; revision++ {
		s.Revision = revision
		s.Problems = s.Problems[:len(s.Problems)-1]
		s.Problems[0].Text = fmt.Sprint(revision, s.Problems[0].Text) // every part is another one
		s = w.saveCheck(s, false)
		got, err := w.loadCheck(false)
		must(t, err)
		if got.Revision != revision || len(got.Problems) != len(s.Problems) {
			t.Errorf("loaded revision %d with %d problems, want %d with %d", got.Revision, len(got.Problems), revision, len(s.Problems))
		}
	}
	if all := w.ledgerChecks(); len(all) > 2*want {
		t.Errorf("parts that nothing names are not used again: %d check runs, at first %d", len(all), want)
	}
	// Until the ledger itself is written, what it names is untouched.
	s.Revision = 9
	s.Problems[0].Text = "another"
	w.Fault(ghsim.Fault{Route: "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", When: ghsim.Before, Status: http.StatusBadGateway, Times: -1,
		Match: func(r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, fmt.Sprint("/", s.Local.LedgerCheck.ID))
		}})
	if _, err := w.SaveLedgerCheck(t.Context(), s, false); err == nil {
		t.Fatal("nothing went wrong")
	}
	if got, err := w.loadCheck(false); err != nil || got.Revision != 5 {
		t.Errorf("after a write that was not finished: %v", err)
	}
}

// Any App may make a check run of that name, and copy what ours says.
func TestOnlyTheAppsOwnCheckRunsCount(t *testing.T) {
	w := without(t)
	s := w.saveCheck(w.tipped(w.state(1)), false)
	old, _ := latestCheck(w)
	s.Revision = 2
	w.saveCheck(s, false)
	other, err := w.AddBot("other", map[string]string{"checks": "write"}, w.gitops)
	must(t, err)
	for _, summary := range []string{old.Summary, "nothing"} {
		must(t, other.Do(http.MethodPost, "/repos/acme/gitops/check-runs", map[string]any{
			"name": ghapi.LedgerCheckName, "head_sha": old.HeadSHA, "external_id": "ledger", "status": "completed", "conclusion": "success",
			"output": map[string]any{"title": "x", "summary": summary},
		}, nil))
	}
	if got, err := w.loadCheck(false); err != nil || got.Revision != 2 {
		t.Errorf("loaded %+v: %v", got, err)
	}
	// A record of another repository, which only we could have put there, counts as little.
	s.Repo.ID++
	s.Revision = 99
	forged, err := ledger.Encode(s, w.opts.LedgerKeys[0], ledger.Links{}, w.now)
	must(t, err)
	if _, err := ledger.Decode(forged.Text, nil, w.opts.LedgerKeys, w.repo().ID, 0, true); !errors.Is(err, ledger.ErrForged) {
		t.Errorf("another repository's record: %v", err)
	}
}

func TestWhatMovedSaysSo(t *testing.T) {
	w := without(t)
	s := w.saveCheck(w.tipped(w.state(4)), false)
	must(t, w.SetIssues(w.gitops, true))
	s.Repo.NoIssues = false
	s.Revision = 5
	s = w.save(s, false)
	must(t, w.LeaveLedgerCheck(t.Context(), s))
	c, _ := latestCheck(w)
	if c.Title != "Moved to the tracking issue" || !strings.Contains(c.Summary, fmt.Sprintf("/issues/%d", s.Issue)) {
		t.Errorf("it says %q: %s", c.Title, c.Summary)
	}
	if _, err := w.loadCheck(false); !errors.Is(err, ledger.ErrNone) {
		t.Errorf("what moved still holds a record: %v", err)
	}
}

// Two servers, or a list that lagged: the higher revision counts.
func TestOfSeveralLedgerChecksTheHighestRevisionCounts(t *testing.T) {
	w := without(t)
	for _, revision := range []int64{3, 8, 5} {
		w.saveCheck(w.tipped(w.state(revision)), false)
	}
	if got, err := w.loadCheck(false); err != nil || got.Revision != 8 || len(w.ledgerChecks()) != 3 {
		t.Errorf("loaded %+v of %q: %v", got, w.ledgerChecks(), err)
	}
}

// A write that was not finished leaves parts that the next one may name.
func TestPartsOfAnUnfinishedLedgerAreNotOverwritten(t *testing.T) {
	w := without(t)
	s := w.saveCheck(w.tipped(w.bigState(1)), false)
	again := func(revision int64, fails bool, change func([]promotion.Problem)) {
		t.Helper()
		s.Revision = revision
		s.Problems = slices.Clone(s.Problems)
		change(s.Problems)
		if fails {
			w.Fault(ghsim.Fault{Route: "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", When: ghsim.Before, Status: http.StatusBadGateway,
				Match: func(r *http.Request) bool {
					return strings.HasSuffix(r.URL.Path, fmt.Sprint("/", s.Local.LedgerCheck.ID))
				}})
		}
		at, err := w.SaveLedgerCheck(t.Context(), s, false)
		if fails != (err != nil) {
			t.Fatalf("revision %d: %v", revision, err)
		}
		if !fails {
			s.Local.LedgerCheck = at
		}
	}
	again(2, true, func(p []promotion.Problem) { p[0].Text = "another beginning" })
	again(3, false, func(p []promotion.Problem) { p[len(p)-1].Text = "and another end" })
	if got, err := w.loadCheck(false); err != nil || got.Revision != 3 || got.Problems[len(got.Problems)-1].Text != "and another end" {
		t.Errorf("loaded %v", err)
	}
}
