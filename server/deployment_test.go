package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestDeployments shows what lands among GitHub's Deployments: of a stage without
// verification by two writes, and with one more of each verdict.
func TestDeployments(t *testing.T) {
	t.Parallel()
	files := servertest.Files()
	staged := strings.Replace(gatedConfig, "    verify:", "    environment: testing\n    verify:", 1)
	files[".github/stagecoach.yml"] = strings.Replace(staged, "    pullRequest: {merge: auto}", "    environment: staging\n    pullRequest: {merge: auto}", 1)
	w := servertest.New(t, files)
	bot, err := w.Sim.AddBot("argo", map[string]string{"checks": "write"}, w.Repo)
	if err != nil {
		t.Fatal(err)
	}
	mark := w.Sim.Mark()
	w.StartServer()
	w.InstallApp()
	dev := until(w, "dev", "", "Verifying")
	w.Until("the Deployment is in progress", func() bool { return slices.Equal(deployments(w), []string{"testing in_progress"}) })
	report(t, w, bot, dev.HeadSHA, "e2e", "success")
	until(w, "dev", "success", "Landed in ")
	report(t, w, bot, dev.HeadSHA, "argocd/web", "success")
	staging := until(w, "staging", "success", "Landed in ")
	want := []string{"testing in_progress success", "staging success"}
	w.Until("both are recorded", func() bool { return slices.Equal(deployments(w), want) })
	w.Settle()
	if got := deployments(w); !slices.Equal(got, want) {
		t.Errorf("deployed %q", got)
	}
	for i, sha := range []string{dev.HeadSHA, staging.HeadSHA} {
		if d := w.Sim.Deployments(w.Repo)[i]; d.SHA != sha {
			t.Errorf("%s records %.7s, want %.7s", d.Environment, d.SHA, sha)
		}
	}
	writes := 0
	for _, r := range w.Since(mark) {
		if strings.Contains(r.Route, "/deployments") {
			writes++
		}
	}
	if writes != 5 {
		t.Errorf("%d requests about Deployments, want 5:\n%s", writes, servertest.List(w.Since(mark)))
	}
}

// deployments are the environments with the states of their Deployments, in order.
func deployments(w *servertest.World) []string {
	var out []string
	for _, d := range w.Sim.Deployments(w.Repo) {
		text := d.Environment
		for _, s := range d.Statuses {
			text += " " + s.State
		}
		out = append(out, text)
	}
	return out
}
