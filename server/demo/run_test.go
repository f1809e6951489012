package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// screen is a terminal that can be waited for.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func newScreen() *screen { return &screen{more: make(chan struct{}, 1)} }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the screen shows the pattern, and gives its groups.
func (s *screen) await(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	late := time.After(30 * time.Second)
	for {
		if m := re.FindStringSubmatch(s.String()); m != nil {
			return m
		}
		select {
		case <-s.more:
		case <-late:
			t.Fatalf("waited in vain for %s on\n%s", pattern, s)
		}
	}
}

// A newcomer's way: read what to try, merge, comment, push; then Ctrl-C. Nothing
// stays behind.
func TestByHand(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	s, ended := newScreen(), make(chan Report, 1)
	go func() {
		report, err := Run(ctx, Options{Out: s})
		if err != nil {
			t.Error(err)
		}
		ended <- report
	}()
	m := s.await(t, `tracking issue  (http://[^/]+)/acme/gitops/issues/(\d+)\n  pull request    \S+/pull/(\d+)`)
	url, issue, pull := m[1], m[2], m[3]
	token := s.await(t, `git clone http://octocat:(\w+)@`)[1]
	s.await(t, `Ctrl-C ends the demo and removes its data\.`)
	invited(t, s.await(t, `dashboard +(http://\S+/r/acme/gitops)`)[1], url)
	as := func(method, path, body string) {
		t.Helper()
		say(t, method, url+"/api/v3/repos/acme/gitops"+path, token, body)
	}
	as("PUT", "/pulls/"+pull+"/merge", `{"merge_method":"merge"}`)
	s.await(t, `staging +✅ landed`)
	as("POST", "/issues/"+issue+"/comments", `{"body":"Now please.\n/promote prod"}`)
	s.await(t, `octocat +comments +Now please. /promote prod`)
	s.await(t, `stagecoach 🚀 answered`)
	next := s.await(t, `prod +⏳ waiting +for the merge of #(\d+)`)[1]
	as("POST", "/issues/"+issue+"/comments", `{"body":"/promote prd"}`)
	s.await(t, `stagecoach 😕 answered`)
	as("PATCH", "/pulls/"+next, `{"state":"closed"}`)
	s.await(t, `closed +#`+next+` without a merge`)
	s.await(t, `prod +❌ failed`)
	interrupt()
	report := <-ended
	if !report.OK || len(report.Promotions) != 3 {
		t.Errorf("report %+v", report)
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	for line := range strings.Lines(s.String()) {
		if width(strings.TrimRight(line, "\n")) > columns && !strings.Contains(line, "http://") {
			t.Errorf("wider than %d columns: %s", columns, line)
		}
	}
}

// invited sees that the dashboard offers to sign in, at the simulated GitHub.
func invited(t *testing.T, dashboard, github string) {
	t.Helper()
	defer http.DefaultClient.CloseIdleConnections()
	res, err := http.DefaultClient.Get(dashboard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if page, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusUnauthorized || !strings.Contains(string(page), "Sign in with GitHub") {
		t.Errorf("the dashboard says %d %s", res.StatusCode, page)
	}
	root, _, _ := strings.Cut(dashboard, "/r/")
	page, err := http.DefaultClient.Get(root + "/login") // it follows to where GitHub asks
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = page.Body.Close() }()
	if at := page.Request.URL.String(); page.StatusCode != http.StatusOK || !strings.HasPrefix(at, github+"/login/oauth/authorize?") {
		t.Errorf("the sign-in leads to %d %s", page.StatusCode, at)
	}
}

func say(t *testing.T, method, url, token, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if res.StatusCode > 299 {
		t.Fatalf("%s %s: %s %s", method, url, res.Status, answer)
	}
}

// played is a world in which the story was played to its end.
func played(t *testing.T) *reader {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	opts := Options{Exit: true, Out: io.Discard}
	sc, err := scene(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorld(t.Context(), opts, sc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	r := newReader(w)
	if err := play(t.Context(), opts, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// One story, and what it must have left.
func TestStory(t *testing.T) {
	r := played(t)
	landed := map[string]bool{}
	log, err := r.w.sim.Log(r.w.repo, "main")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range log {
		landed[c.SHA] = true
	}
	t.Run("requests name their promotion", func(t *testing.T) { namesPromotions(t, r) })
	t.Run("verify looks into git", func(t *testing.T) { looksIntoGit(t, r) })
	if err := r.w.stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Run("counts by promotion", func(t *testing.T) { countsByPromotion(t, r, landed) })
}

// Git is asked whether the change is there: when somebody took it back, the
// server's word that it landed is not enough.
func looksIntoGit(t *testing.T, r *reader) {
	if err := verify(r); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	paths, err := r.w.sim.Files(r.w.repo, r.start["main"])
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasPrefix(path, "envs/prod/") {
			files[path] = contentAt(r.w.sim, r.w.repo, r.start["main"], path)
		}
	}
	if _, err := r.w.sim.As(writer).Commit(r.w.repo, "main", files, "Take it back"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.read(); err != nil {
		t.Fatal(err)
	}
	if err := verify(r); err == nil || !strings.Contains(err.Error(), "prod: the files of") {
		t.Errorf("verify says %v", err)
	}

	// Landings that claim a commit that was made for something else, and one that is nowhere.
	stages := r.last.state.Pipelines["default"].Stages
	right := stages["staging"].Current.Commit
	for wrong, want := range map[string]string{
		r.start["main"]: "was made for the freight", firstLanding(r).Commit: "was made for the freight", strings.Repeat("0", 40): "was made for the freight",
	} {
		stages["staging"].Current.Commit = wrong
		if err := verify(r); err == nil || !strings.Contains(err.Error(), "staging: the commit "+short(wrong)+" "+want) {
			t.Errorf("of %s verify says %v", wrong, err)
		}
	}
	stages["staging"].Current.Commit = right
}

// firstLanding is the promotion of the first freight to staging.
func firstLanding(r *reader) stand {
	for _, name := range r.order {
		if s := r.seen[name]; s.Stage == "staging" {
			return s
		}
	}
	return stand{}
}

// Every way in which a request names its promotion.
func namesPromotions(t *testing.T, r *reader) {
	p := firstLanding(r)
	var run ghsim.CheckRun
	for _, c := range r.w.sim.CheckRuns(r.w.repo) {
		if c.ExternalID == p.Name {
			run = c
		}
	}
	dev := r.seen[r.order[0]]
	branch := promotion.BranchName("default", "staging", p.Name)
	const repo = "/repos/acme/gitops"
	zero := strings.Repeat("0", 40)
	tests := []struct{ method, path, body, want string }{
		{"DELETE", repo + "/git/refs/heads/" + strings.ReplaceAll(branch, "/", "%2F"), "", p.Name},
		{"DELETE", repo + "/git/refs/heads/other", "", ""},
		{"GET", fmt.Sprintf("%s/pulls/%d", repo, p.PullRequest), "", p.Name},
		{"POST", fmt.Sprintf("%s/issues/%d/comments", repo, p.PullRequest), "", p.Name},
		{"PATCH", fmt.Sprintf("%s/issues/%d", repo, r.last.issue.Number), `{"body":"` + p.Name + `"}`, ""},
		{"POST", repo + "/pulls", `{"head":"` + branch + `"}`, p.Name},
		{"POST", repo + "/pulls", `{"head":"mine"}`, ""},
		{"POST", repo + "/check-runs", `{"external_id":"` + p.Name + `"}`, p.Name},
		{"POST", repo + "/check-runs", `{"external_id":"config"}`, ""},
		{"PATCH", fmt.Sprintf("%s/check-runs/%d", repo, run.ID), `{}`, p.Name},
		{"POST", "/acme/gitops.git/git-receive-pack", "00a0" + zero + " " + p.Commit + " refs/heads/" + branch + "\x00report-status", p.Name},
		{"POST", "/acme/gitops.git/git-receive-pack", "00a0" + zero + " " + dev.Commit + " refs/heads/main\x00report-status", dev.Name},
		{"POST", "/acme/gitops.git/git-receive-pack", "00a0" + zero + " " + r.start["main"] + " refs/heads/main\x00report-status", ""},
		{"POST", "/acme/gitops.git/git-upload-pack", "", ""},
		{"GET", repo + "/collaborators/octocat/permission", "", ""},
	}
	for _, test := range tests {
		if got := r.w.tally.nameIn(ghsim.Request{Method: test.method, Path: test.path}, []byte(test.body)); got != test.want {
			t.Errorf("%s %s %s names %q, want %q", test.method, test.path, test.body, got, test.want)
		}
	}
}

// What each promotion cost adds up to all requests.
func countsByPromotion(t *testing.T, r *reader, landed map[string]bool) {
	report := r.report(nil)
	all := r.w.sim.Counts(0)
	var sum ghsim.Counts
	var stages []string
	for _, p := range report.Promotions {
		stages = append(stages, p.Stage)
		sum.Reads, sum.NotModified, sum.Writes = sum.Reads+p.Reads, sum.NotModified+p.NotModified, sum.Writes+p.Writes
		sum.Fetches, sum.Pushes = sum.Fetches+p.Fetches, sum.Pushes+p.Pushes
		if p.Pushes != 1 || (p.PullRequest != 0) != (p.Stage != "dev") {
			t.Errorf("%s has %d pushes and the pull request %d", p.Name, p.Pushes, p.PullRequest)
		}
		if !landed[p.Commit] || p.Phase != promotion.PhaseSucceeded {
			t.Errorf("%s %s landed as %q, which is not on main", p.Name, p.Phase, p.Commit)
		}
	}
	if sum != all {
		t.Errorf("the promotions' requests are %+v, all are %+v", sum, all)
	}
	if got := strings.Join(stages, " "); got != "dev staging dev staging prod" {
		t.Errorf("promotions of %s", got)
	}
	for line := range strings.Lines(report.Table()) {
		if width(strings.TrimRight(line, "\n")) > columns {
			t.Errorf("wider than %d columns: %s", columns, line)
		}
	}
}

// A story that does not end says what it waited for, and what stood where.
func TestStuck(t *testing.T) {
	var out bytes.Buffer
	report, err := Run(t.Context(), Options{Exit: true, Out: &out, Limit: time.Millisecond})
	var stuck *Unfinished
	if !errors.As(err, &stuck) || report.OK || report.Error != err.Error() {
		t.Fatalf("report %+v, error %v", report, err)
	}
	if !strings.Contains(err.Error(), "after 1ms the story still waited for the tracking issue\nThis stood where:\n  nothing: no promotion was made") {
		t.Error(err)
	}
}

// Several demos run side by side.
func TestSideBySide(t *testing.T) {
	errs := make(chan error)
	for range 2 {
		go func() {
			_, err := Run(t.Context(), Options{Exit: true, Out: io.Discard})
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestNextChange(t *testing.T) {
	files, err := sampleFiles()
	if err != nil {
		t.Fatal(err)
	}
	content := files[changedFile]
	for _, want := range []int{256, 512, 1024} {
		if content, err = nextChange(content); err != nil || !strings.Contains(content, fmt.Sprintf("memory: %dMi # a request", want)) {
			t.Fatalf("%v, want %d Mi in\n%s", err, want, content)
		}
	}
	if _, err := nextChange("kind: Deployment\n"); err == nil {
		t.Error("a file without a limit was changed")
	}
}
