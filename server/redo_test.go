package server_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// redoConfig brings each change to prod by a pull request that two may approve.
const redoConfig = `version: 1
sources:
  - name: app
    git: {branch: main, paths: ['app/**']}
stages:
  - name: prod
    promote: auto
    gates: {approvals: {users: [octocat]}}
    steps:
      - uses: yaml-update
        config:
          path: envs/prod/values.yaml
          updates: [{key: image.tag, value: "${{ freight.app.commit[:7] }}"}]
`

const prodValues = "envs/prod/values.yaml"

// openProd is a world in which prod's pull request is open and octocat approved it.
func openProd(t *testing.T, config string) *servertest.World {
	t.Helper()
	files := servertest.Files()
	files[".github/stagecoach.yml"] = config
	w := servertest.New(t, files)
	w.StartServer()
	approved(t, w)
	return w
}

// approved installs the app, and has octocat approve prod's first pull request.
func approved(t *testing.T, w *servertest.World) {
	t.Helper()
	w.InstallApp()
	check := until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	approve(t, w, check.HeadSHA)
	until(w, "prod", "success", "Waiting for merge: all gates are open")
	w.Settle()
}

func approve(t *testing.T, w *servertest.World, head string) {
	t.Helper()
	if pull := w.Open()[0]; pull.HeadSHA != head {
		t.Fatalf("the head is %s, the check stands on %s", pull.HeadSHA, head)
	}
	if _, err := w.Sim.As("octocat").Approve(w.Repo, w.Open()[0].Number); err != nil {
		t.Fatal(err)
	}
}

// byHand is octocat's commit on a branch that replaces a text in prod's values.
func byHand(t *testing.T, w *servertest.World, branch, before, after string) {
	t.Helper()
	text, err := w.Sim.File(w.Repo, branch, prodValues)
	if err != nil || !strings.Contains(text, before) {
		t.Fatalf("%s on %s is %q: %v", prodValues, branch, text, err)
	}
	text = strings.Replace(text, before, after, 1)
	if _, err := w.Sim.As("octocat").Commit(w.Repo, branch, map[string]string{prodValues: text}, "By hand"); err != nil {
		t.Fatal(err)
	}
}

func tagOf(text string) string {
	_, rest, _ := strings.Cut(text, "tag: ")
	tag, _, _ := strings.Cut(rest, " ")
	return tag
}

// TestEditMadeAnew lets somebody change the line beside the one that waits in a pull
// request: git cannot merge both, and the app makes its edit anew.
func TestEditMadeAnew(t *testing.T) {
	t.Parallel()
	w := openProd(t, redoConfig)
	pull, mark := w.Open()[0], w.Sim.Mark()
	byHand(t, w, "main", "replicas: 3", "replicas: 5")
	w.Until("the head is another one", func() bool { return len(w.Open()) == 1 && w.Open()[0].HeadSHA != pull.HeadSHA })
	check := until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	w.Settle()
	holdsRedo(t, w.Since(mark))
	now := w.Open()[0]
	if now.Number != pull.Number || now.Body != pull.Body || check.HeadSHA != now.HeadSHA {
		t.Errorf("the pull request is %+v, the check stands on %s", now, check.HeadSHA)
	}
	if state := mergeable(t, w, now.Number); state == "dirty" {
		t.Error("GitHub still finds a conflict")
	}
	approve(t, w, check.HeadSHA)
	until(w, "prod", "success", "Waiting for merge: all gates are open")
	if _, err := w.Sim.As("octocat").Merge(w.Repo, pull.Number, "squash"); err != nil {
		t.Fatal(err)
	}
	until(w, "prod", "success", "Landed in ")
	if text := w.File(prodValues); !strings.Contains(text, "replicas: 5") || tagOf(text) == "initial" {
		t.Errorf("prod's values are %q", text)
	}
	w.Until("the branch is gone", func() bool { return len(w.Sim.Branches(w.Repo)) == 1 })
}

// holdsRedo counts what an edit that is made anew costs.
func holdsRedo(t *testing.T, requests []ghsim.Request) {
	t.Helper()
	got := map[string]int{}
	for _, r := range requests {
		if !strings.Contains(r.Route, "/info/refs") && strings.HasSuffix(r.Login, "[bot]") {
			got[r.Route]++
		}
	}
	want := map[string]int{
		"POST /{owner}/{repo}/git-upload-pack": 1, "POST /{owner}/{repo}/git-receive-pack": 1,
		"POST /repos/{owner}/{repo}/check-runs": 1, "PATCH /repos/{owner}/{repo}/issues/{issue_number}": 1,
	}
	for route, n := range got {
		if n > want[route] {
			t.Errorf("%d × %s, want %d\n%s", n, route, want[route], servertest.List(requests))
		}
	}
	if got["POST /{owner}/{repo}/git-receive-pack"] != 1 {
		t.Error("nothing was pushed: this counts nothing")
	}
}

func mergeable(t *testing.T, w *servertest.World, number int) string {
	t.Helper()
	var out struct {
		State string `json:"mergeable_state"`
	}
	path := "/repos/" + w.Repo.FullName() + "/pulls/" + strconv.Itoa(number)
	if err := w.Sim.As("octocat").Do("GET", path, nil, &out); err != nil {
		t.Fatal(err)
	}
	return out.State
}

// TestSameValueByHand lets somebody set the very value that waits in a pull request.
// That is theirs until somebody says otherwise.
func TestSameValueByHand(t *testing.T) {
	t.Parallel()
	w := openProd(t, redoConfig)
	pull := w.Open()[0]
	byHand(t, w, "main", "tag: initial", "tag: hotfix")
	check := until(w, "prod", "action_required", "Conflicts with main: a person changed what this changes in "+prodValues)
	if check.HeadSHA != pull.HeadSHA || w.Open()[0].HeadSHA != pull.HeadSHA {
		t.Error("the head changed although nobody said so")
	}
	if !slices.ContainsFunc(check.Actions, func(a ghsim.CheckAction) bool { return a.Identifier == "retry" }) {
		t.Errorf("the buttons are %+v", check.Actions)
	}
	w.Until("the tracking issue tells", func() bool {
		i, _ := w.TrackingIssue()
		return strings.Contains(i.Body, "Conflicts with main") && strings.Contains(i.Body, "/retry prod")
	})
	say(t, w, "octocat", "/retry prod")
	check = until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	approve(t, w, check.HeadSHA)
	until(w, "prod", "success", "Waiting for merge: all gates are open")
	if _, err := w.Sim.As("octocat").Merge(w.Repo, pull.Number, "squash"); err != nil {
		t.Fatal(err)
	}
	until(w, "prod", "success", "Landed in ")
	if tag := tagOf(w.File(prodValues)); tag == "hotfix" || tag == "initial" {
		t.Errorf("the tag is %s", tag)
	}
}

// TestSameChangeByHand lets somebody do by hand all that waits in a pull request.
func TestSameChangeByHand(t *testing.T) {
	t.Parallel()
	w := openProd(t, redoConfig)
	pull := w.Open()[0]
	text, err := w.Sim.File(w.Repo, pull.Head, prodValues)
	if err != nil {
		t.Fatal(err)
	}
	byHand(t, w, "main", "tag: initial # set by Stagecoach\nreplicas: 3", "tag: "+tagOf(text)+" # set by Stagecoach\nreplicas: 9")
	w.Until("it is told that nothing is left to change", func() bool {
		c, ok := w.Check("stagecoach/prod")
		return ok && strings.HasPrefix(c.Title, "Nothing to change any more")
	})
	w.Until("the pull request is closed and its branch gone", func() bool { return len(w.Open()) == 0 && len(w.Sim.Branches(w.Repo)) == 1 })
}

// TestPersonsCommitStays has somebody push to the pull request before the base
// conflicts with it: nothing is put over that.
func TestPersonsCommitStays(t *testing.T) {
	t.Parallel()
	w := openProd(t, redoConfig)
	pull := w.Open()[0]
	byHand(t, w, pull.Head, "replicas: 3", "replicas: 4")
	check := until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	w.Settle()
	byHand(t, w, "main", "replicas: 3", "replicas: 5")
	until(w, "prod", "action_required", "Conflicts with main: resolve it in the pull request")
	if head := w.Open()[0].HeadSHA; head != check.HeadSHA {
		t.Errorf("the head is %s, somebody pushed %s", head, check.HeadSHA)
	}
}

// TestUpToDateToMerge has a rule ask for the base's tip in the head of what the app
// merges.
func TestUpToDateToMerge(t *testing.T) {
	t.Parallel()
	config := strings.Replace(redoConfig, "  - name: prod\n", "  - name: prod\n    pullRequest: {merge: auto}\n", 1)
	files := servertest.Files()
	files[".github/stagecoach.yml"] = config
	w := servertest.New(t, files)
	if _, err := w.Sim.AddRuleset(w.Repo, "main", ghsim.Rules{Strict: true, Checks: []ghsim.RequiredCheck{{Name: "stagecoach/prod"}}, Bypass: []string{"octocat"}}); err != nil {
		t.Fatal(err)
	}
	w.StartServer()
	w.InstallApp()
	check := until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", map[string]string{"docs/other.md": "more\n"}, "Write"); err != nil {
		t.Fatal(err)
	}
	w.Settle()
	if w.Open()[0].HeadSHA != check.HeadSHA {
		t.Error("the edit was made anew before anybody wanted to merge it")
	}
	approve(t, w, check.HeadSHA)
	w.Until("the head is another one", func() bool { return len(w.Open()) == 1 && w.Open()[0].HeadSHA != check.HeadSHA })
	check = until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	approve(t, w, check.HeadSHA)
	until(w, "prod", "success", "Landed in ")
}

// TestVerifiedEditMadeAnew has GitHub sign the new commit too.
func TestVerifiedEditMadeAnew(t *testing.T) {
	t.Parallel()
	w := openProd(t, strings.Replace(redoConfig, "version: 1\n", "version: 1\ncommits: {verified: true}\n", 1))
	pull := w.Open()[0]
	byHand(t, w, "main", "replicas: 3", "replicas: 5")
	w.Until("the head is another one", func() bool { return len(w.Open()) == 1 && w.Open()[0].HeadSHA != pull.HeadSHA })
	check := until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	w.Settle()
	if n := madeByAPI(w); n != 2 {
		t.Errorf("the API made %d commits, want the first edit's and the new one's", n)
	}
	approve(t, w, check.HeadSHA)
	until(w, "prod", "success", "Waiting for merge: all gates are open")
}

// madeByAPI counts the commits that GitHub's API made, and so signed.
func madeByAPI(w *servertest.World) int {
	n := 0
	for _, r := range w.Sim.Requests() {
		if r.Route == "POST /repos/{owner}/{repo}/git/commits" && r.Status == 201 {
			n++
		}
	}
	return n
}

// TestFileMovedByHand lets somebody move the file that waits in a pull request. The
// steps write to where the pipeline file says, so a person decides.
func TestFileMovedByHand(t *testing.T) {
	t.Parallel()
	w := openProd(t, redoConfig)
	pull, text := w.Open()[0], w.File(prodValues)
	moved := map[string]string{prodValues: ghsim.Deleted, "envs/production/values.yaml": text}
	if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", moved, "Move"); err != nil {
		t.Fatal(err)
	}
	check := until(w, "prod", "action_required", "main holds no more "+prodValues+" (now envs/production/values.yaml)")
	if check.HeadSHA != pull.HeadSHA || len(w.Open()) != 1 {
		t.Error("the pull request changed")
	}
}
