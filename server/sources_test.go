package server_test

import (
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// following is a pipeline that writes what its source has into a file.
func following(source, value string) map[string]string {
	return map[string]string{
		".github/stagecoach.yml": "version: 1\nsources: [{name: app, " + source + "}]\n" +
			"stages:\n  - name: dev\n    promote: auto\n    deliver: commit\n    steps:\n" +
			"      - {uses: yaml-update, config: {path: dev.yaml, updates: [{key: version, value: '${{ " + value + " }}'}]}}\n",
		"dev.yaml": "version: none\n",
	}
}

// A push to another repository makes freight here, by its own delivery.
func TestAPushToAnotherRepositoryIsFreightHere(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, following("git: {repo: acme/app, paths: [src]}", "freight.app.commit"))
	app, err := w.Sim.CreateRepo("acme", "app", ghsim.RepoOptions{Private: true, Files: map[string]string{
		".github/stagecoach.yml": "version: 1\nshare: [acme/other]\n", "src/main.go": "package main\n",
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.Sim.SetPermission(app, "octocat", "write")
	w.InstallApp(w.Repo, app)
	w.StartServer()
	w.Until("it is said that acme/app does not share", func() bool {
		issue, _ := w.TrackingIssue()
		return strings.Contains(issue.Body, "share:")
	})
	octocat := w.Sim.As("octocat")
	if _, err := octocat.Commit(app, "main", map[string]string{".github/stagecoach.yml": "version: 1\nshare: [acme/GitOps]\n"}, "Share with gitops"); err != nil {
		t.Fatal(err)
	}
	w.Until("its tip is promoted, now that it shares", func() bool { return !strings.Contains(w.File("dev.yaml"), "none") })
	w.Settle()
	for path, moves := range map[string]bool{"README.md": false, "src/main.go": true} {
		before := w.File("dev.yaml")
		sha, err := octocat.Commit(app, "main", map[string]string{path: "package changed\n"}, "Change "+path)
		if err != nil {
			t.Fatal(err)
		}
		if moves {
			w.Until("the change of "+path+" is promoted", func() bool { return strings.Contains(w.File("dev.yaml"), sha) })
		}
		w.Settle()
		if now := w.File("dev.yaml"); (now != before) != moves {
			t.Errorf("after a change of %s: %s", path, now)
		}
	}
}

func TestATagIsFreight(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, following("git: {tags: {constraint: ^1.0.0}}", "freight.app.tag"))
	w.InstallApp(w.Repo)
	w.StartServer()
	w.Settle()
	octocat := w.Sim.As("octocat")
	for _, tag := range []string{"v1.0.0", "v1.10.0", "v1.9.0", "v2.0.0"} {
		sha, err := octocat.Commit(w.Repo, "main", map[string]string{"README.md": tag + "\n"}, "Prepare "+tag)
		if err == nil {
			err = octocat.Do("POST", "/repos/acme/gitops/git/refs", map[string]string{"ref": "refs/tags/" + tag, "sha": sha}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.Settle()
	}
	w.Until("the highest tag that fits is promoted", func() bool { return strings.Contains(w.File("dev.yaml"), "v1.10.0") })
}

// CI pushes an image and says so by repository_dispatch.
func TestAnImageIsFreight(t *testing.T) {
	t.Parallel()
	images := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(images.Close)
	repo := strings.TrimPrefix(images.URL, "http://") + "/acme/web"
	push := func(tag string) {
		img, err := random.Image(100, 1)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := name.NewTag(repo + ":" + tag)
		if err == nil {
			err = remote.Write(ref, img)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	push("1.0.0")
	w := servertest.New(t, following("image: {repo: '"+repo+"', constraint: ^1.0.0}", "freight.app.tag"))
	w.Vars = map[string]string{"STAGECOACH_ALLOW_HOSTS": "127.0.0.1"}
	w.InstallApp(w.Repo)
	w.StartServer()
	w.Until("the newest image is promoted at first sight", func() bool { return strings.Contains(w.File("dev.yaml"), "1.0.0") })
	w.Settle()
	push("1.1.0")
	if err := w.Sim.As("octocat").Dispatch(w.Repo, "stagecoach", map[string]any{"source": "app", "version": "9.9.9"}); err != nil {
		t.Fatal(err)
	}
	w.Until("the new image is promoted, and not what the hint says", func() bool { return strings.Contains(w.File("dev.yaml"), "1.1.0") })
}
