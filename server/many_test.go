package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestManyRepositoriesCostWhatTheirPipelinesCost has an empty disk and 250
// repositories, of which two have a pipeline.
func TestManyRepositoriesCostWhatTheirPipelinesCost(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	repos := []ghsim.Repo{w.Repo}
	for i := range 249 {
		files := map[string]string{"README.md": "nothing to promote\n"}
		if i == 100 {
			files = map[string]string{".github/stagecoach.yml": servertest.Config, "app/a": "a"}
		}
		repo, err := w.Sim.CreateRepo("acme", fmt.Sprint("other-", i), ghsim.RepoOptions{Files: files})
		if err != nil {
			t.Fatal(err)
		}
		repos = append(repos, repo)
	}
	undo := w.Sim.LoseWebhooks(func(ghsim.Delivery) bool { return true })
	w.InstallApp(repos...)
	mark := w.Sim.Mark()
	w.StartServer()
	looked := func() int {
		seen := map[int64]bool{}
		for _, r := range w.Since(mark) {
			if strings.HasSuffix(r.Route, "/info/refs") {
				seen[r.Repository] = true
			}
		}
		return len(seen)
	}
	w.Until("every repository was looked at", func() bool { return looked() == len(repos) })
	w.Settle()
	undo()
	reads := 0
	others := map[string]int{}
	for _, r := range w.Since(mark) {
		switch {
		case r.Counted && r.Method == "GET":
			reads++
			fallthrough
		case r.Counted:
			if r.Repository != 0 && r.Repository != w.Repo.ID && r.Repository != repos[101].ID {
				others[r.Route]++
			}
		}
	}
	if most := 3 + 4*2; reads > most || len(others) > 0 {
		t.Errorf("%d counted reads, want at most %d; of repositories without a pipeline: %v\n%s", reads, most, others, servertest.List(w.Since(mark)))
	}
	t.Logf("%d counted reads for %d repositories, two of them with a pipeline", reads, len(repos))
}
