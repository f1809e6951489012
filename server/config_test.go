package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

const configPath = ".github/stagecoach.yml"

// broken is a config with one mistake, at line 10 and column 5.
var broken = strings.Replace(servertest.Config, "    steps: &steps", "    stepz: &steps", 1)

// placeOf finds a word: its line and column, from 1.
func placeOf(text, word string) (line, column int) {
	before, _, _ := strings.Cut(text, word)
	last := before[strings.LastIndex(before, "\n")+1:]
	return strings.Count(before, "\n") + 1, len(last) + 1
}

func commit(t *testing.T, w *servertest.World, branch string, files map[string]string, message string) string {
	t.Helper()
	sha, err := w.Sim.As("octocat").Commit(w.Repo, branch, files, message)
	if err != nil {
		t.Fatal(err)
	}
	return sha
}

func TestABrokenConfigStopsNewPromotionsAndIsShownWithItsPlace(t *testing.T) {
	t.Parallel()
	w := opened(t)
	w.Settle()
	commit(t, w, "main", map[string]string{configPath: broken}, "Break the config")
	line, column := placeOf(broken, "stepz")
	place := fmt.Sprintf("%s:%d:%d", configPath, line, column)
	w.Until("the tracking issue shows "+place, func() bool {
		issue, _ := w.TrackingIssue()
		return strings.Contains(issue.Body, place) && strings.Contains(issue.Body, "stepz")
	})
	w.Settle()
	mark := w.Sim.Mark()
	commit(t, w, "main", map[string]string{"app/deploy.yaml": "kind: Deployment\nmetadata: {name: web2}\n"}, "Change the app")
	w.Settle()
	for _, r := range w.Since(mark) {
		if servertest.IsWrite(r) && !strings.Contains(r.Path, "/issues/") {
			t.Errorf("with a broken config something was promoted: %s %s", r.Method, r.Path)
		}
	}
	// What runs goes on.
	if _, err := w.Sim.As("octocat").Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
		t.Fatal(err)
	}
	w.Until("staging landed all the same", func() bool {
		c, _ := w.Check("stagecoach/staging")
		return strings.HasPrefix(c.Title, "Landed in")
	})
	commit(t, w, "main", map[string]string{configPath: servertest.Config}, "Mend the config")
	w.Until("the change of meanwhile reaches staging", func() bool { return len(w.Open()) == 1 })
	w.Settle()
	if issue, _ := w.TrackingIssue(); strings.Contains(issue.Body, "stepz") {
		t.Errorf("the tracking issue still shows the mistake\n%s", w.Sketch())
	}
}

// configChecks are the check runs of pipeline files on a commit.
func configChecks(w *servertest.World, sha string) []ghsim.CheckRun {
	return slices.DeleteFunc(w.Sim.CheckRuns(w.Repo), func(c ghsim.CheckRun) bool { return c.Name != "stagecoach" || c.HeadSHA != sha })
}

func pullRequest(t *testing.T, w *servertest.World, branch string, files map[string]string) (sha string) {
	t.Helper()
	sha = commit(t, w, branch, files, "Change "+branch)
	if _, err := w.Sim.As("octocat").CreatePR(w.Repo, branch, "main", "Change "+branch, ""); err != nil {
		t.Fatal(err)
	}
	return sha
}

func TestPullRequestsThatTouchPipelineFilesAreChecked(t *testing.T) {
	t.Parallel()
	w := opened(t)
	w.Settle()
	bad := pullRequest(t, w, "bad", map[string]string{configPath: broken})
	w.Until("the bad one has its check", func() bool { return len(configChecks(w, bad)) > 0 })
	line, column := placeOf(broken, "stepz")
	c := configChecks(w, bad)[0]
	if c.Conclusion != "failure" || len(c.Annotations) != 1 {
		t.Fatalf("the bad one's check is %q with annotations %v", c.Conclusion, c.Annotations)
	}
	a := c.Annotations[0]
	if a["path"] != configPath || fmt.Sprint(a["start_line"], a["start_column"]) != fmt.Sprint(line, column) || !strings.Contains(fmt.Sprint(a["message"]), "steps") {
		t.Errorf("annotation %v, want %s:%d:%d and the near miss `steps`", a, configPath, line, column)
	}

	good := pullRequest(t, w, "good", map[string]string{configPath: strings.Replace(servertest.Config, "version: 1", "version: 1 # ours", 1)})
	w.Until("the good one has its check", func() bool { return len(configChecks(w, good)) > 0 })
	if c := configChecks(w, good)[0]; c.Conclusion != "success" || len(c.Annotations) != 0 {
		t.Errorf("the good one's check is %q with annotations %v", c.Conclusion, c.Annotations)
	}

	w.Settle()
	mark := w.Sim.Mark()
	other := pullRequest(t, w, "other", map[string]string{"README.md": "# more\n"})
	w.Settle()
	if got := configChecks(w, other); len(got) > 0 {
		t.Errorf("one that touches no pipeline file has a check: %+v", got)
	}
	if cost := w.Since(mark); len(cost) > 0 {
		t.Errorf("one that touches no pipeline file cost\n%s", servertest.List(cost))
	}
	for _, sha := range []string{bad, good} {
		if n := len(configChecks(w, sha)); n != 1 {
			t.Errorf("%d checks of the pipeline files on %s, want 1", n, sha[:7])
		}
	}
	mended := commit(t, w, "bad", map[string]string{configPath: servertest.Config + "# mended\n"}, "Mend it")
	w.Until("the mended head is checked", func() bool { return len(configChecks(w, mended)) > 0 })
	if c := configChecks(w, mended)[0]; c.Conclusion != "success" {
		t.Errorf("the mended head's check is %q: %s", c.Conclusion, c.Summary)
	}
}
