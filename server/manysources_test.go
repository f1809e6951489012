package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// Many pipelines of one repository watch a folder each. A push that touches one of
// them is one promotion, with the git work and the requests of one.
func TestOneOfManyPipelines(t *testing.T) {
	t.Parallel()
	const many = 500
	files := map[string]string{}
	for i := range many {
		app := fmt.Sprintf("app-%03d", i)
		files[".github/stagecoach/"+app+".yml"] = strings.NewReplacer("dev.yaml", "envs/"+app+".yaml").Replace(
			following("git: {paths: [apps/"+app+"/**]}", "freight.app.commit")[".github/stagecoach.yml"])
		files["envs/"+app+".yaml"] = "version: none\n"
	}
	w := started(t, files)
	asked := 0
	for _, r := range w.Since(0) {
		if strings.HasSuffix(r.Path, "/info/refs") {
			asked++
		}
	}
	if asked > 10 { // all sources are looked at, at once
		t.Errorf("GitHub was asked %d times for branches at first sight", asked)
	}
	change := func(content string) {
		t.Helper()
		sha, err := w.Sim.As("octocat").Commit(w.Repo, "main", map[string]string{"apps/app-007/main.go": content}, "Change app 7")
		if err != nil {
			t.Fatal(err)
		}
		w.Until("it is promoted", func() bool { return strings.Contains(w.File("envs/app-007.yaml"), sha) })
		w.Settle()
	}
	change("package first\n") // the first promotion gets what the clone lacks
	mark := w.Sim.Mark()
	change("package second\n")
	fetches, pushes, counted := 0, 0, 0
	for _, r := range w.Since(mark) {
		switch {
		case strings.HasSuffix(r.Path, "/git-upload-pack"):
			fetches++
		case strings.HasSuffix(r.Path, "/git-receive-pack"):
			pushes++
		case r.Counted:
			counted++
		}
	}
	if fetches > 1 || pushes != 1 || counted > 3 {
		t.Errorf("%d fetches, %d pushes, %d counted requests; want one of each, and the check run and the tracking issue\n%s", fetches, pushes, counted, servertest.List(w.Since(mark)))
	}
	state, err := w.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	for name, ps := range state.Pipelines {
		if n := len(ps.Freight); (n > 0) != (name == "app-007") {
			t.Errorf("the pipeline %s has %d pieces of freight", name, n)
		}
	}
}
