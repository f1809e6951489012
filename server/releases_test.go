package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// releases counts how a world's app asked for releases since a mark, by status, and how
// many of them counted against the limit.
func releases(w *servertest.World, since ghsim.Mark) (full, unchanged, counted int) {
	for _, r := range w.Since(since) {
		if !strings.HasSuffix(r.Path, "/releases") {
			continue
		}
		if r.Counted {
			counted++
		}
		if r.Status == http.StatusNotModified {
			unchanged++
		} else {
			full++
		}
	}
	return full, unchanged, counted
}

// A release in acme/app is freight in acme/gitops, by its own delivery: for one pipeline
// without, for the other one with prereleases.
func TestAReleaseIsFreight(t *testing.T) {
	t.Parallel()
	files := following("release: {repo: acme/app}", "freight.app.tag")
	files[".github/stagecoach/next.yml"] = strings.ReplaceAll(following("release: {repo: acme/app, prereleases: true, constraint: '>=1.0.0-0'}", "freight.app.commit")[".github/stagecoach.yml"], "dev", "next")
	files["next.yaml"] = "version: none\n"
	w := servertest.New(t, files)
	app := second(t, w, "app", map[string]string{".github/stagecoach.yml": "version: 1\nshare: [acme/gitops]\n"})
	w.InstallApp(w.Repo, app)
	w.StartServer()
	w.Settle()
	octocat := w.Sim.As("octocat")
	publish := func(tag string, prerelease bool) int64 {
		t.Helper()
		if _, err := octocat.Commit(app, "main", map[string]string{"VERSION": tag}, "Prepare "+tag); err != nil {
			t.Fatal(err)
		}
		id, err := octocat.Publish(app, tag, prerelease)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	has := func(path, want string) func() bool {
		return func() bool { return strings.Contains(w.File(path), want) }
	}
	first := publish("v1.0.0", false)
	w.Until("the release is in dev", has("dev.yaml", "v1.0.0"))
	w.Until("its commit is in next", has("next.yaml", w.Sim.Branches(app)["main"]))
	publish("v1.1.0-rc.1", true)
	w.Until("the prerelease is in next", has("next.yaml", w.Sim.Branches(app)["main"]))
	w.Settle()
	if !has("dev.yaml", "v1.0.0")() {
		t.Errorf("a prerelease came to dev: %s", w.File("dev.yaml"))
	}

	mark := w.Sim.Mark()
	if err := octocat.Dispatch(w.Repo, "stagecoach", nil); err != nil {
		t.Fatal(err)
	}
	w.Until("both pipelines have looked again", func() bool { full, unchanged, _ := releases(w, mark); return full+unchanged >= 2 })
	w.Settle()
	if full, unchanged, counted := releases(w, mark); full != 0 || counted != 0 {
		t.Errorf("looks without news: %d in full, %d unchanged, %d counted; want all unchanged, none counted", full, unchanged, counted)
	}

	if err := octocat.DeleteRelease(app, first); err != nil {
		t.Fatal(err)
	}
	w.Until("the freight of the deleted release is blocked", func() bool {
		s, err := w.Ledger()
		return err == nil && len(s.Pipelines["default"].Blocked) == 1
	})
	w.Settle()
	issue, _ := w.TrackingIssue()
	if _, err := octocat.Comment(w.Repo, issue.Number, "/promote dev v1.0.0"); err != nil {
		t.Fatal(err)
	}
	w.Until("it is refused, with the reason", func() bool {
		return strings.Contains(strings.Join(w.Answers(issue.Number), "\n"), "is blocked: it is gone: the release v1.0.0 of acme/app")
	})
	if _, err := octocat.Publish(app, "v1.0.0", false); err != nil {
		t.Fatal(err)
	}
	w.Until("it counts again when it is back", func() bool {
		s, err := w.Ledger()
		return err == nil && len(s.Pipelines["default"].Blocked) == 0
	})
}

// A draft is nobody's version, and neither is a release whose tag is gone.
func TestADraftIsNoFreight(t *testing.T) {
	t.Parallel()
	w := started(t, following("release: {repo: acme/gitops}", "freight.app.tag"))
	octocat := w.Sim.As("octocat")
	var draft struct{ ID int64 }
	if err := octocat.Do("POST", "/repos/acme/gitops/releases", map[string]any{"tag_name": "v1", "draft": true}, &draft); err != nil {
		t.Fatal(err)
	}
	if err := octocat.Dispatch(w.Repo, "stagecoach", nil); err != nil {
		t.Fatal(err)
	}
	holds(t, w, "a draft", w.File("dev.yaml"), "")
	if err := octocat.EditRelease(w.Repo, draft.ID, map[string]any{"draft": false}); err != nil {
		t.Fatal(err)
	}
	holds(t, w, "what was a draft", "", "v1")
}
