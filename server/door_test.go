package server_test

import (
	"slices"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestARepositoryWithoutAPipelineLeavesNothingInTheLog lets a day's work happen in a
// repository that was looked at. Only what could bring it a pipeline is kept.
func TestARepositoryWithoutAPipelineLeavesNothingInTheLog(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, map[string]string{"README.md": "nothing to promote\n"})
	w.StartServer()
	mark := w.Sim.Mark()
	w.InstallApp()
	w.Until("it is looked at", func() bool {
		return slices.ContainsFunc(w.Since(mark), func(r ghsim.Request) bool { return r.Repository == w.Repo.ID })
	})
	w.Settle()
	before := len(w.Sim.Deliveries())
	octocat := w.Sim.As("octocat")
	_, err := octocat.Commit(w.Repo, "main", map[string]string{"README.md": "still nothing\n"}, "Say so")
	must(t, err)
	head, err := octocat.Commit(w.Repo, "next", map[string]string{"a": "b"}, "Add a")
	must(t, err)
	must(t, octocat.SetStatus(w.Repo, head, "ci/test", "success", ""))
	_, err = octocat.CreatePR(w.Repo, "next", "main", "Add a", "")
	must(t, err)
	issue, err := octocat.CreateIssue(w.Repo, "A question", "What is it?")
	must(t, err)
	_, err = octocat.Comment(w.Repo, issue, "/promote prod")
	must(t, err)
	w.Settle()
	var idle []string
	events := map[string]bool{}
	for _, d := range w.Sim.Deliveries()[before:] {
		idle = append(idle, d.GUID)
		events[d.Event] = true
	}
	if len(events) < 5 {
		t.Errorf("there were only deliveries of %v: this test shows nothing", events)
	}
	_, err = octocat.Commit(w.Repo, "main", map[string]string{".github/stagecoach/web.yml": "version: 1\nstages: 7\n"}, "Add a pipeline that is none")
	must(t, err)
	w.Settle()
	pushes := w.Sim.Deliveries()[before+len(idle):]
	w.StopServer()
	if found := w.Logged(idle...); len(found) > 0 {
		t.Errorf("of %d deliveries the log has %v", len(idle), found)
	}
	if found := w.Logged(guidsOf(pushes)...); len(found) == 0 {
		t.Error("the push that brought a pipeline is not there either: this test shows nothing")
	}
}

func guidsOf(all []ghsim.Delivery) (guids []string) {
	for _, d := range all {
		guids = append(guids, d.GUID)
	}
	return guids
}
