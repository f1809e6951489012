package server_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/bubble"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

var stagesAtOnce = flag.Int("stages", 12, "how many stages TestStagesFromOnePush promotes at once")

// TestStagesFromOnePush: what one push sets off in many stages that deliver by pull
// request travels together: one fetch, and a few pushes for all branches. It was seen
// with -stages 50.
func TestStagesFromOnePush(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) {
		many := *stagesAtOnce
		var stages strings.Builder
		files := map[string]string{} // nothing of the app, so there is no freight before the push
		var all []string
		for i := range many {
			fmt.Fprintf(&stages, "  - name: s%d\n    promote: auto\n    steps:\n      - uses: yaml-update\n        config: {path: envs/s%[1]d.yaml, updates: [{key: version, value: '${{ freight.app.commit }}'}]}\n", i)
			all = append(all, fmt.Sprintf("envs/s%d.yaml", i))
			files[all[i]] = "version: none\n"
		}
		files[".github/stagecoach/reader.yml"] = strings.NewReplacer("ALL", strings.Join(all, ", ")).Replace(`version: 1
sources:
  - name: app
    git: {branch: main, paths: [reader/**]}
stages:
  - name: reader
    promote: auto
    deliver: commit
    steps:
      - {uses: yaml-merge, config: {inFiles: [ALL], outFile: merged.yaml}}
`)
		files[".github/stagecoach.yml"] = "version: 1\nsources:\n  - name: app\n    git: {branch: main, paths: [app/**]}\nstages:\n" + stages.String()
		w := servertest.Simulated(t, files)
		w.StartServer()
		w.InstallApp()
		w.Settle()
		if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", map[string]string{"reader/a": "a"}, "Have all read once"); err != nil {
			t.Fatal(err)
		}
		w.Until("the clone has what is read", func() bool { return w.File("merged.yaml") != "" })
		w.Settle()
		mark := w.Sim.Mark()
		if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", map[string]string{"app/main.go": "package new\n"}, "Change the app"); err != nil {
			t.Fatal(err)
		}
		w.Until("each stage has its pull request", func() bool { return len(w.Open()) == many })
		w.Settle()
		got := gitRequests(w, w.Repo, mark)
		t.Logf("%v", got)
		if got["git-upload-pack"] > 1 || got["git-receive-pack"] > 5 || got["git-receive-pack"] == 0 || got["refs"] > 0 {
			t.Errorf("git was asked %v; want one fetch, at most five pushes, and no list of refs", got)
		}
	})
}
