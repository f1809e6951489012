package server_test

import (
	"flag"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

var repositories = flag.Int("repositories", 60, "how many repositories the installation of TestTenOfMany has")

// TestTenOfMany has an empty disk and an installation of many repositories, of which
// ten have a pipeline. They cost what ten cost that are alone, and the list of all: a
// request for each hundred. Nothing is asked about the others but their refs over git.
func TestTenOfMany(t *testing.T) {
	t.Parallel()
	alone, many := costOfTen(t, 10), costOfTen(t, *repositories)
	lists := (*repositories + 99) / 100
	t.Logf("ten of ten: %v; ten of %d: %v", alone, *repositories, many)
	if got := many["GET /installation/repositories"]; got != lists {
		t.Errorf("the list took %d requests, want %d", got, lists)
	}
	delete(alone, "GET /installation/repositories")
	delete(many, "GET /installation/repositories")
	if !maps.Equal(alone, many) {
		t.Errorf("ten of ten cost %v, ten of %d cost %v", alone, *repositories, many)
	}
	reads := 0
	for route, n := range many {
		if strings.HasPrefix(route, "GET ") {
			reads += n
		}
	}
	if reads > 4*10 {
		t.Errorf("%d counted reads for ten repositories with a pipeline, want at most 4 for each: %v", reads, many)
	}
}

// costOfTen counts, by route, the requests that GitHub charges for a start with an empty
// disk over so many repositories, and for a push to each one without a pipeline.
func costOfTen(t *testing.T, repositories int) map[string]int {
	t.Helper()
	w := servertest.New(t, map[string]string{".github/stagecoach.yml": servertest.Config, "app/a": "a"})
	w.Patience = max(time.Minute, time.Duration(repositories)*300*time.Millisecond)
	repos := []ghsim.Repo{w.Repo}
	for i := 1; i < repositories; i++ {
		files := map[string]string{"README.md": "nothing to promote\n"}
		if i%(repositories/10) == 0 {
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
	for i, repo := range repos {
		if i%(repositories/10) == 0 {
			continue
		}
		if _, err := w.Sim.As("acme").Commit(repo, "main", map[string]string{"README.md": "still nothing\n"}, "Say so"); err != nil {
			t.Fatal(err)
		}
		if i > 200 {
			break // as many as tell it
		}
	}
	w.Settle()
	cost := map[string]int{}
	for _, r := range w.Since(mark) {
		if r.Counted {
			cost[r.Route]++
		}
	}
	return cost
}
