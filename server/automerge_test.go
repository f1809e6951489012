package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

const (
	graphQLRoute = "POST /graphql"
	leftTitle    = "GitHub merges it by itself when its rules allow: "
)

// mergesLater is a world whose main asks for the checks of prod and of another app,
// which is silent at first, and that lets GitHub merge by itself. The pull request of
// prod is open, and all that is missing is the other app's check on its head.
func mergesLater(t *testing.T, gates string) (*servertest.World, ghsim.Bot, ghsim.PullRequest) {
	t.Helper()
	w, bot := autoMerging(t, gates, true)
	until(w, "prod", "success", leftTitle)
	w.Settle()
	return w, bot, w.Open()[0]
}

// autoMerging is the world before anything happens in it.
func autoMerging(t *testing.T, gates string, allowed bool) (*servertest.World, ghsim.Bot) {
	t.Helper()
	files := servertest.Files()
	files[".github/stagecoach.yml"] = strings.Replace(redoConfig, "    gates: {approvals: {users: [octocat]}}\n", gates+"    pullRequest: {merge: auto}\n", 1)
	w := servertest.New(t, files)
	bot, err := w.Sim.AddBot("ci", map[string]string{"checks": "write", "statuses": "write"}, w.Repo)
	if err != nil {
		t.Fatal(err)
	}
	rules := ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "stagecoach/prod"}, {Name: "ci"}}, Bypass: []string{"octocat"}}
	if _, err := w.Sim.AddRuleset(w.Repo, "main", rules); err != nil {
		t.Fatal(err)
	}
	if err := w.Sim.AllowAutoMerge(w.Repo, allowed); err != nil {
		t.Fatal(err)
	}
	w.StartServer()
	w.InstallApp()
	return w, bot
}

func mutations(w *servertest.World) (n int) {
	for _, r := range w.Sim.Requests() {
		if r.Route == graphQLRoute {
			n++
		}
	}
	return n
}

func isMerged(w *servertest.World, number int) (by string) {
	for _, pr := range w.Sim.PullRequests(w.Repo) {
		if pr.Number == number && pr.Merged {
			return pr.MergedBy
		}
	}
	return ""
}

// TestGitHubMergesWhileNobodyIsThere leaves a merge to GitHub, which makes it while the
// server is stopped. The commit is the one that the app would have made.
func TestGitHubMergesWhileNobodyIsThere(t *testing.T) {
	t.Parallel()
	w, bot, pull := mergesLater(t, "")
	if n := mutations(w); n != 1 {
		t.Errorf("%d mutations, want 1", n)
	}
	w.StopServer()
	report(t, w, bot, pull.HeadSHA, "ci", "success")
	w.Until("GitHub has merged it", func() bool { return isMerged(w, pull.Number) != "" })
	if by := isMerged(w, pull.Number); !strings.HasSuffix(by, "[bot]") {
		t.Errorf("merged by %s", by)
	}
	w.StartServer()
	w.RedeliverFailed()
	check := until(w, "prod", "success", "Landed in ")
	if message := messageOf(t, w, check.HeadSHA); !strings.HasPrefix(message, pull.Title+" (#") || !strings.Contains(message, "\nStagecoach-Promotion: prod.") {
		t.Errorf("the commit says %q", message)
	}
}

func messageOf(t *testing.T, w *servertest.World, sha string) string {
	t.Helper()
	var commits []struct {
		SHA    string `json:"sha"`
		Commit struct {
			Message string `json:"message"`
		} `json:"commit"`
	}
	if err := w.Sim.As("octocat").Do("GET", "/repos/"+w.Repo.FullName()+"/commits?sha="+sha, nil, &commits); err != nil || len(commits) == 0 || commits[0].SHA != sha {
		t.Fatalf("%v: %v", commits, err)
	}
	return commits[0].Commit.Message
}

// TestFrozenAfterItWasLeft freezes the stage when the merge is GitHub's already: the
// rule holds it by our check, until the freeze is lifted.
func TestFrozenAfterItWasLeft(t *testing.T) {
	t.Parallel()
	w, bot, pull := mergesLater(t, "")
	say(t, w, "octocat", "/freeze prod incident 42")
	until(w, "prod", "action_required", "Frozen by octocat: incident 42")
	w.Settle()
	report(t, w, bot, pull.HeadSHA, "ci", "success")
	w.Settle()
	if by := isMerged(w, pull.Number); by != "" {
		t.Fatalf("%s merged it past a freeze", by)
	}
	say(t, w, "octocat", "/unfreeze prod")
	until(w, "prod", "success", "Landed in ")
	if n := mutations(w); n != 1 {
		t.Errorf("%d mutations, want 1", n)
	}
}

// TestPushedAfterItWasLeft has somebody push when the merge is GitHub's already: what
// they pushed is judged anew, by our check and by the other one.
func TestPushedAfterItWasLeft(t *testing.T) {
	t.Parallel()
	w, bot := autoMerging(t, "    gates: {approvals: {users: [octocat]}}\n", true)
	check := until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	approve(t, w, check.HeadSHA)
	until(w, "prod", "success", leftTitle)
	w.Settle()
	pull := w.Open()[0]
	byHand(t, w, pull.Head, "replicas: 3", "replicas: 4")
	check = until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	report(t, w, bot, check.HeadSHA, "ci", "success")
	w.Settle()
	if by := isMerged(w, pull.Number); by != "" {
		t.Fatalf("%s merged what nobody approved", by)
	}
	approve(t, w, check.HeadSHA)
	until(w, "prod", "success", "Landed in ")
	if text := w.File(prodValues); !strings.Contains(text, "replicas: 4") {
		t.Errorf("prod's values are %q", text)
	}
}

// TestSwitchedOffAfterItWasLeft has somebody switch auto-merge off: it stays off, and
// they merge by hand.
func TestSwitchedOffAfterItWasLeft(t *testing.T) {
	t.Parallel()
	w, bot, pull := mergesLater(t, "")
	octocat := w.Sim.As("octocat")
	if err := octocat.DisableAutoMerge(w.Repo, pull.Number); err != nil {
		t.Fatal(err)
	}
	until(w, "prod", "success", "octocat switched auto-merge off")
	report(t, w, bot, pull.HeadSHA, "ci", "success")
	w.Settle()
	if by := isMerged(w, pull.Number); by != "" || mutations(w) != 2 {
		t.Fatalf("merged by %q after %d mutations", by, mutations(w))
	}
	w.Until("the tracking issue tells", func() bool {
		i, _ := w.TrackingIssue()
		return strings.Contains(i.Body, "octocat switched auto-merge off")
	})
	if _, err := octocat.Merge(w.Repo, pull.Number, "squash"); err != nil {
		t.Fatal(err)
	}
	until(w, "prod", "success", "Landed in ")
}

// TestWhereGitHubDoesNotMerge has the app merge by itself where a merge may not be left
// to GitHub: its rule does not ask for our check, the repository does not allow it, or a
// window shuts.
func TestWhereGitHubDoesNotMerge(t *testing.T) {
	t.Parallel()
	soon := time.Now().AddDate(0, 0, 3).UTC().Format(time.DateOnly)
	for name, c := range map[string]struct {
		gates   string
		allowed bool
	}{
		"not allowed": {allowed: false},
		"a window":    {gates: "    gates: {windows: [{deny: '" + soon + ".." + soon + "'}]}\n", allowed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, bot := autoMerging(t, c.gates, c.allowed)
			check := until(w, "prod", "success", "Waiting until GitHub allows the merge")
			w.Settle()
			if n := mutations(w); n != 0 {
				t.Errorf("%d mutations", n)
			}
			report(t, w, bot, check.HeadSHA, "ci", "success")
			until(w, "prod", "success", "Landed in ")
		})
	}
}
