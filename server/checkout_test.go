package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// elsewhere is a world with a second account, globex, which has a private repository
// with the given files. Both accounts are to install the app by begin.
func elsewhere(t *testing.T, pipeline string, files map[string]string) (*servertest.World, ghsim.Repo) {
	t.Helper()
	mine := servertest.Files()
	mine[".github/stagecoach.yml"] = pipeline
	w := servertest.New(t, mine)
	w.Sim.AddOrg("globex")
	other, err := w.Sim.CreateRepo("globex", "charts", ghsim.RepoOptions{Private: true, Files: files})
	if err == nil {
		err = w.Sim.SetPermission(other, "octocat", "write")
	}
	if err != nil {
		t.Fatal(err)
	}
	return w, other
}

// begin starts the server, and installs the app on repositories of globex, and then,
// when the server knows these, on the pipeline's own.
func begin(w *servertest.World, others ...ghsim.Repo) {
	w.TB.Helper()
	w.StartServer()
	if _, err := w.Sim.Install(w.App.ID, "globex", others...); err != nil {
		w.TB.Fatal(err)
	}
	w.Settle()
	w.InstallApp()
}

const (
	own    = "version: 1\nsources: [{name: app, git: {branch: main, paths: ['app/**']}}]\nstages:\n"
	shares = "version: 1\nshare: [acme/gitops]\n"
)

// chartsShared are what another repository shares.
func chartsShared() map[string]string {
	return map[string]string{
		".github/stagecoach.yml": shares, "web/Chart.yaml": "name: web\nversion: 1.0.0\n", "web/logo.bin": "\x00\x01\xff", "README.md": "# Charts\n",
	}
}

// commitTo makes octocat commit to main.
func commitTo(t *testing.T, w *servertest.World, repo ghsim.Repo, files map[string]string) string {
	t.Helper()
	sha, err := w.Sim.As("octocat").Commit(repo, "main", files, "Change")
	if err != nil {
		t.Fatal(err)
	}
	return sha
}

// gitRequests are the requests for git that a repository got since a mark, by service.
func gitRequests(w *servertest.World, repo ghsim.Repo, since ghsim.Mark) map[string]int {
	out := map[string]int{}
	for _, r := range w.Since(since) {
		if strings.HasPrefix(r.Path, "/"+repo.FullName()+".git/") {
			out[r.Path[strings.LastIndex(r.Path, "/")+1:]]++
		}
	}
	return out
}

// A stage reads a repository of another account, which shares, beside its own: at a tag
// and at the tip of its default branch. What is copied from there is committed here, and
// nothing is written there.
func TestAnotherRepositoryIsCheckedOut(t *testing.T) {
	t.Parallel()
	w, other := elsewhere(t, "", chartsShared())
	pipeline := own + `  - name: dev
    promote: auto
    deliver: commit
    steps:
      - uses: git-clone
        config: {checkout: [{path: .}]}
      - uses: git-clone
        as: charts
        config:
          repoURL: ` + w.Sim.URL() + `/globex/charts.git
          checkout: [{path: ./old, as: released, tag: v1}, {path: new}]
      - {uses: copy, config: {inPath: old/web, outPath: envs/dev/old}}
      - {uses: sync, config: {inPath: new/web, outPath: envs/dev/new}}
      - {uses: yaml-update, config: {path: new/web/Chart.yaml, updates: [{key: version, value: 9.9.9}]}}
      - {uses: copy, config: {inPath: new/web/Chart.yaml, outPath: envs/dev/edited.yaml}}
      - uses: file-write
        config: {path: envs/dev/from.txt, overwrite: true, contents: "${{ outputs.charts.commits.released }} ${{ outputs.charts.commits['new'] }} ${{ freight.app.commit }}"}
`
	commitTo(t, w, w.Repo, map[string]string{".github/stagecoach.yml": pipeline})
	if _, err := w.Sim.As("octocat").Publish(other, "v1", false); err != nil {
		t.Fatal(err)
	}
	released := w.Sim.Branches(other)["main"]
	newest := commitTo(t, w, other, map[string]string{"web/Chart.yaml": "name: web\nversion: 2.0.0\n", "web/run.sh": "echo\n"})
	mark := w.Sim.Mark()
	begin(w, other)
	if p := ended(w); p.Phase != promotion.PhaseSucceeded {
		t.Fatalf("it is %s: %s", p.Phase, p.Message)
	}
	log, _ := w.Sim.Log(w.Repo, "main")
	for path, want := range map[string]string{
		"envs/dev/old/Chart.yaml": "name: web\nversion: 1.0.0\n", "envs/dev/old/logo.bin": "\x00\x01\xff",
		"envs/dev/new/Chart.yaml": "name: web\nversion: 2.0.0\n", "envs/dev/new/run.sh": "echo\n",
		"envs/dev/edited.yaml": "name: web\nversion: 9.9.9\n",
		"envs/dev/from.txt":    released + " " + newest + " " + log[1].SHA,
	} {
		if got := w.File(path); got != want {
			t.Errorf("%s holds %q, want %q", path, got, want)
		}
	}
	if files, _ := w.Sim.Files(w.Repo, "main"); slices.ContainsFunc(files, func(f string) bool {
		return strings.HasPrefix(f, "old/") || strings.HasPrefix(f, "new/")
	}) {
		t.Errorf("a checkout of another repository was committed: %q", files)
	}
	if got := w.Sim.Branches(other); len(got) != 1 || got["main"] != newest {
		t.Errorf("charts has the branches %v", got)
	}
	if got := gitRequests(w, other, mark); got["git-receive-pack"] != 0 || got["git-upload-pack"] == 0 {
		t.Errorf("charts was asked %v", got)
	}

	// What is here needs no fetch: the next promotion asks where the branches are, once,
	// to see whether it may read still.
	mark = w.Sim.Mark()
	commitTo(t, w, w.Repo, map[string]string{"app/deploy.yaml": "kind: Deployment\n"})
	w.Until("the next one is promoted", func() bool { return len(commits(t, w, w.Repo)) == 5 })
	w.Settle()
	if got := gitRequests(w, other, mark); got["git-upload-pack"] != 0 || got["refs"] != 1 {
		t.Errorf("the second promotion asked charts %v", got)
	}
}

// refusal is a stage whose promotion errors, and what it says.
type refusal struct{ name, steps, want string }

// wantRefused promotes to such stages, at most ten, in a world where globex/charts shares and
// globex/closed does not. It returns what each promotion said.
func wantRefused(t *testing.T, stages []refusal) map[string]string {
	t.Helper()
	pipeline := own
	for _, s := range stages {
		pipeline += "  - name: " + s.name + "\n    promote: auto\n    deliver: none\n    steps:\n" + s.steps
	}
	w, other := elsewhere(t, pipeline, chartsShared())
	closed, err := w.Sim.CreateRepo("globex", "closed", ghsim.RepoOptions{Private: true, Files: map[string]string{"secret.txt": "s\n"}})
	if err != nil {
		t.Fatal(err)
	}
	before, mark := w.Sim.Branches(w.Repo)["main"], w.Sim.Mark()
	begin(w, other, closed)
	said := map[string]string{}
	for name, p := range endedIn(w, len(stages)) {
		said[name] = string(p.Phase) + ": " + p.Message
	}
	for _, s := range stages {
		if !strings.HasPrefix(said[s.name], "errored: ") || !strings.Contains(said[s.name], s.want) {
			t.Errorf("%s: %s\nwant %s", s.name, said[s.name], s.want)
		}
	}
	if now := w.Sim.Branches(w.Repo); len(now) != 1 || now["main"] != before {
		t.Errorf("branches %v", now)
	}
	for _, repo := range []ghsim.Repo{w.Repo, other, closed} {
		if got := gitRequests(w, repo, mark); got["git-receive-pack"] != 0 {
			t.Errorf("%s was pushed to", repo.FullName())
		}
	}
	return said
}

// endedIn are the promotions of n stages, by stage, when each has had one that ended.
func endedIn(w *servertest.World, n int) map[string]*promotion.Promotion {
	w.TB.Helper()
	out := map[string]*promotion.Promotion{}
	w.Until("all have ended", func() bool {
		s, err := w.Ledger()
		if err != nil || s.Pipelines["default"] == nil {
			return false
		}
		for _, p := range s.Pipelines["default"].Promotions {
			if p.Phase.Terminal() {
				out[p.Stage] = p
			}
		}
		return len(out) == n
	})
	return out
}

// cloned is the step that checks a repository out.
func cloned(repo, checkouts string) string {
	return "      - {uses: git-clone, config: {repoURL: '" + repo + "', checkout: [" + checkouts + "]}}\n"
}

// What cannot be checked out is said in words; of a repository that does not share no
// more than of one that is not there.
func TestWhatCannotBeCheckedOut(t *testing.T) {
	t.Parallel()
	const shut = " cannot be read: install the app there, and let its .github/stagecoach.yml say `share: [acme/gitops]`"
	said := wantRefused(t, []refusal{
		{"missing", cloned("globex/missing", "{path: a}"), "globex/missing" + shut},
		{"closed", cloned("globex/closed", "{path: a}"), "globex/closed" + shut},
		{"shut-tag", cloned("globex/closed", "{path: a, tag: v9}"), "globex/closed" + shut},
		{"tag", cloned("globex/charts", "{path: a, tag: v9}"), "there is no tag v9 in globex/charts"},
		{"branch", cloned("globex/charts", "{path: a, branch: dev, create: true}"), "there is no branch dev in globex/charts, and none is made in another repository"},
		{"commit", cloned("globex/charts", "{path: a, commit: abc1234}"), `"abc1234" is no commit of globex/charts: write all of its 40 digits`},
		{"host", cloned("https://example.com/globex/charts", "{path: a}"), "https://example.com/globex/charts is no repository on "},
		{"twice", cloned("globex/charts", "{path: a}, {path: ./a}"), "two checkouts are to stand at a"},
		{"alias", cloned("globex/charts", "{path: a, as: '${{ ctx.stage }}'}, {path: b, as: alias}"), "two checkouts have the alias alias"},
	})
	if got := strings.ReplaceAll(said["closed"], "closed", "missing"); got != said["missing"] {
		t.Errorf("one that does not share is told from one that is not there:\n%s\n%s", said["closed"], said["missing"])
	}
}

// Steps write to the pipeline's own repository alone.
func TestOtherRepositoriesAreReadOnly(t *testing.T) {
	t.Parallel()
	const (
		home = "      - {uses: git-clone, config: {checkout: [{path: out}]}}\n"
		edit = "      - {uses: file-write, config: {path: charts/x, contents: x}}\n      - {uses: file-write, config: {path: out/x, contents: x}}\n"
		only = " charts is a checkout of globex/charts, which is read only: steps write to the pipeline's own repository, acme/gitops"
	)
	charts := cloned("globex/charts", "{path: charts}")
	wantRefused(t, []refusal{
		{"commit", home + charts + edit + "      - {uses: git-commit, config: {path: charts}}\n", "git-commit:" + only},
		{"tag", home + charts + "      - {uses: git-tag, config: {path: charts, tag: v2}}\n", "git-tag:" + only},
		{"push", home + charts + edit + "      - uses: git-commit\n      - {uses: git-push, config: {path: charts}}\n", "git-push:" + only},
		{"no-home", charts + "      - uses: git-commit\n", "git-commit: the branch main is not checked out"},
	})
}

// A repository takes its share away while a promotion waits for its pull request: what
// the promotion does after the merge, in a later life of the server, reads nothing there
// any more. It can when it is shared again.
func TestAShareThatIsTakenAway(t *testing.T) {
	t.Parallel()
	w, other := elsewhere(t, own+`  - name: dev
    promote: auto
    deliver: none
    steps:
      - {uses: git-clone, config: {checkout: [{path: out}]}}
      - {uses: git-clone, config: {repoURL: globex/charts, checkout: [{path: charts}]}}
      - {uses: copy, config: {inPath: charts/web, outPath: out/web}}
      - uses: git-commit
      - {uses: git-push, config: {generateTargetBranch: true}}
      - uses: git-open-pr
      - uses: git-wait-for-pr
      - {uses: yaml-parse, as: chart, config: {path: charts/web/Chart.yaml, outputs: [{name: version, fromExpression: version}]}}
      - {uses: fail, config: {message: 'the chart is ${{ outputs.chart.version }}'}}
`, chartsShared())
	begin(w, other)
	w.Until("the pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Settle()
	commitTo(t, w, other, map[string]string{".github/stagecoach.yml": "version: 1\nshare: [acme/another]\n"})
	w.Settle()
	w.StopServer()
	w.StartServer()
	octocat := w.Sim.As("octocat")
	if _, err := octocat.Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
		t.Fatal(err)
	}
	p := ended(w)
	if p.Phase != promotion.PhaseErrored || !strings.Contains(p.Message, "globex/charts cannot be read") {
		t.Fatalf("it is %s: %s", p.Phase, p.Message)
	}
	if w.File("web/Chart.yaml") == "" {
		t.Error("what was merged is not there")
	}
	commitTo(t, w, other, map[string]string{".github/stagecoach.yml": shares})
	w.Settle()
	commitTo(t, w, w.Repo, map[string]string{"app/deploy.yaml": "kind: Deployment\n", "web/Chart.yaml": "other\n"})
	w.Until("the next one has its pull request", func() bool { return len(w.Open()) == 1 })
	if _, err := octocat.Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
		t.Fatal(err)
	}
	w.Until("it reads the chart after the merge", func() bool {
		s, err := w.Ledger()
		return err == nil && len(s.Pipelines["default"].Promotions) == 2 && slices.ContainsFunc(s.Pipelines["default"].Promotions, func(p *promotion.Promotion) bool {
			return p.Phase == promotion.PhaseFailed && p.Message == "the chart is 1.0.0"
		})
	})
}

// A public repository can be read without more; one that was renamed is found under its
// former name, which is said; and so is the pipeline's own.
func TestCheckoutsOfPublicAndRenamedRepositories(t *testing.T) {
	t.Parallel()
	pipeline := own
	for name, repo := range map[string]string{"open": "initech/open", "renamed": "globex/charts", "home": "acme/before"} {
		pipeline += fmt.Sprintf("  - name: %[1]s\n    promote: auto\n    deliver: none\n    steps:\n"+
			"%[2]s      - {uses: yaml-parse, as: read, config: {path: other/README.md, outputs: [{name: name, fromExpression: name}]}}\n"+
			"      - {uses: fail, config: {message: 'it is ${{ outputs.read.name }}'}}\n", name, cloned(repo, "{path: other}"))
	}
	pipeline += "  - name: told\n    promote: auto\n    deliver: none\n    steps:\n      - {uses: git-clone, config: {checkout: [{path: out}]}}\n" + cloned("globex/charts", "{path: other}") +
		"      - {uses: copy, config: {inPath: other/README.md, outPath: out/copied.md}}\n      - uses: git-commit\n      - uses: git-push\n"
	w, other := elsewhere(t, pipeline, map[string]string{".github/stagecoach.yml": shares, "README.md": "name: renamed\n"})
	w.Sim.AddOrg("initech")
	_, err := w.Sim.CreateRepo("initech", "open", ghsim.RepoOptions{Files: map[string]string{"README.md": "name: open\n"}})
	if err == nil {
		_, err = w.Sim.RenameRepo(other, "graphs")
	}
	if err == nil {
		commitTo(t, w, w.Repo, map[string]string{"README.md": "name: home\n"})
		_, err = w.Sim.RenameRepo(w.Repo, "before")
	}
	if err == nil {
		_, err = w.Sim.RenameRepo(w.Repo, "gitops")
	}
	if err != nil {
		t.Fatal(err)
	}
	begin(w, other)
	for name, p := range endedIn(w, 4) {
		if name != "told" && (p.Phase != promotion.PhaseFailed || !strings.Contains(p.Message, "it is "+name)) {
			t.Errorf("%s is %s: %s", name, p.Phase, p.Message)
		}
	}
	w.Settle()
	if run, _ := w.Check("stagecoach/told"); !strings.Contains(run.Summary, "globex/charts is called globex/graphs now") {
		t.Errorf("the new name is not said: %+v", run)
	}
}
