//go:build !small

package server_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// dice is a repository whose prod renders a chart with output that differs from
// run to run.
func dice(deliver string) map[string]string {
	return map[string]string{
		".github/stagecoach.yml": "version: 1\nsources: [{name: app, git: {paths: [chart]}}]\nstages:\n  - name: prod\n    promote: auto\n    deliver: " + deliver + "\n    steps:\n" +
			"      - {uses: helm-template, config: {path: chart, outPath: out.yaml, releaseName: web}}\n",
		"chart/Chart.yaml":       "apiVersion: v2\nname: web\nversion: 0.1.0\n",
		"chart/templates/a.yaml": "kind: Secret\nmetadata: {name: web}\nstringData: {password: {{ randAlphaNum 24 }}, at: {{ now | unixEpoch | quote }}}\n",
		"out.yaml":               "none\n",
	}
}

var password = regexp.MustCompile(`password: (\w{24})`)

// out is the password in out.yaml at a ref; empty: none.
func out(t *testing.T, w *servertest.World, ref string) string {
	t.Helper()
	content, err := w.Sim.File(w.Repo, ref, "out.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if m := password.FindStringSubmatch(content); m != nil {
		return m[1]
	}
	return ""
}

// pushed counts the pushes of a repository's refs that reached GitHub.
func pushed(w *servertest.World, from ghsim.Mark) (n int) {
	for _, r := range w.Since(from) {
		if r.Route == pushRoute {
			n++
		}
	}
	return n
}

// Random output is made once. The server is killed when it has pushed, and woken
// by what others do; what was rendered first is what lands.
func TestRandomOutputIsCommittedOnce(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, dice("pull-request"))
	w.Patience = 3 * time.Minute
	first := ""
	w.StartProcess()
	died := w.At(servertest.KillSpec{Nth: 1, Route: pullRoute, When: ghsim.Before}, func() {
		for branch := range w.Sim.Branches(w.Repo) {
			if branch != "main" {
				first = out(t, w, branch)
			}
		}
		w.Kill()
	})
	w.KeepUp(servertest.Product, nil, "serve")
	mark := w.Sim.Mark()
	w.InstallApp()
	w.Until("the pull request is open", func() bool { return len(w.Open()) == 1 })
	pull := w.Open()[0]
	octocat := w.Sim.As("octocat")
	if _, err := octocat.Commit(w.Repo, "main", map[string]string{"README.md": "# elsewhere\n"}, "Change something else"); err != nil {
		t.Fatal(err)
	}
	if _, err := octocat.Comment(w.Repo, pull.Number, "/status"); err != nil {
		t.Fatal(err)
	}
	w.Until("it is woken", func() bool { return len(w.Answers(pull.Number)) > 0 })
	if now := out(t, w, pull.HeadSHA); first == "" || now != first {
		t.Errorf("the branch held %q before the kill, the pull request holds %q", first, now)
	}
	if n := pushed(w, mark); n != 1 {
		t.Errorf("%d pushes for one promotion", n)
	}
	if _, err := octocat.Merge(w.Repo, pull.Number, "merge"); err != nil {
		t.Fatal(err)
	}
	w.Until("it is recorded", func() bool { return w.Recorded("prod") })
	if landed := out(t, w, "main"); landed != first || !died() || w.Starts() < 2 {
		t.Errorf("%q was rendered first, %q landed, after %d starts", first, landed, w.Starts())
	}
}

// The same where the answer of the push is what is lost.
func TestRandomOutputOfALostPush(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, dice("commit"))
	w.Patience = 3 * time.Minute
	first := ""
	w.StartProcess()
	died := w.At(servertest.KillSpec{Nth: 1, Route: pushRoute, When: ghsim.After}, func() {
		first = out(t, w, "main")
		w.Kill()
	})
	w.KeepUp(servertest.Product, nil, "serve")
	w.InstallApp()
	w.Until("it is recorded", func() bool { return w.Recorded("prod") })
	w.Settle()
	commits, err := w.Sim.Log(w.Repo, "main")
	if err != nil {
		t.Fatal(err)
	}
	if landed := out(t, w, "main"); first == "" || landed != first || len(commits) != 2 || !died() {
		t.Errorf("%q was rendered first, %q stands there, main has %d commits", first, landed, len(commits))
	}
}
