package server_test

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
)

// What lacks a permission waits, names it, asks for nothing meanwhile, and goes on when
// GitHub tells that it is there.
func TestAMissingPermissionIsNamedUntilItIsGiven(t *testing.T) {
	t.Parallel()
	for permission, says := range map[string]string{"contents": "contents", "pull_requests": "pull_requests"} {
		t.Run(permission, func(t *testing.T) {
			t.Parallel()
			w := atProd(t)
			less := ghapi.Permissions()
			delete(less, permission)
			must(t, w.Sim.SetInstallationPermissions(w.Install, less))
			w.Settle()
			issue, _ := w.TrackingIssue()
			if _, err := w.Sim.As("octocat").Comment(w.Repo, issue.Number, "/promote prod"); err != nil {
				t.Fatal(err)
			}
			w.Until("the tracking issue names it", func() bool {
				issue, _ := w.TrackingIssue()
				return strings.Contains(strings.ReplaceAll(issue.Body, `\`, ""), says)
			})
			w.Settle()
			if len(w.Open()) > 0 {
				t.Errorf("a pull request was opened without the permission\n%s", w.Sketch())
			}
			mark := w.Sim.Mark()
			must(t, w.Sim.SetInstallationPermissions(w.Install, ghapi.Permissions()))
			w.Until("prod's pull request is open", func() bool { return len(w.Open()) == 1 })
			if c := w.Sim.Counts(mark); c.Pushes > 1 {
				t.Errorf("%d pushes", c.Pushes)
			}
		})
	}
}
