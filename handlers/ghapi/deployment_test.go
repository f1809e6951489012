package ghapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
)

func (w *world) deploymentTask(state string) promotion.Task {
	t := w.task(promotion.KindDeployment)
	t.Effect.SHA, t.Effect.Text = w.Branches(w.gitops)["main"], state
	t.Promotion.Message = strings.Repeat("ä", 200)
	t.Promotion.Deployment = &promotion.Deployment{Environment: "production"}
	t.Promotion.Checks = []promotion.CheckRun{{SHA: "another", ID: 3}, {SHA: t.Effect.SHA, ID: 4}}
	return t
}

// deployed are the Deployments with their states, "sha environment: state, state".
func (w *world) deployed() []string {
	var out []string
	for _, d := range w.Deployments(w.gitops) {
		var states []string
		for _, s := range d.Statuses {
			states = append(states, s.State)
		}
		out = append(out, d.SHA[:7]+" "+d.Environment+": "+strings.Join(states, ", "))
	}
	return out
}

func TestDeployment(t *testing.T) {
	w := newWorld(t)
	task := w.deploymentTask("in_progress")
	_, err := w.As("octocat").Commit(w.gitops, "main", map[string]string{"later.yaml": "a: 1\n"}, "Something later")
	must(t, err)
	var got promotion.Result
	w.costs("2 writes, 0 reads", func() { got = w.run(task) })
	d := w.Deployments(w.gitops)[0]
	if d.ID != got.DeploymentID || d.SHA != task.Effect.SHA || d.Environment != "production" || string(d.Payload) != `{"promotion":"`+promo+`"}` {
		t.Errorf("GitHub has %+v, payload %s", d, d.Payload)
	}
	if s := d.Statuses[0]; s.State != "in_progress" || s.LogURL != w.URL()+"/acme/gitops/runs/4" || len([]rune(s.Description)) != 140 {
		t.Errorf("its status is %+v", s)
	}
	task.Promotion.Deployment.ID, task.Effect.Text = got.DeploymentID, "success"
	w.costs("1 writes, 0 reads", func() { w.run(task) })
	if got := w.deployed(); len(got) != 1 || !strings.HasSuffix(got[0], ": in_progress, success") {
		t.Errorf("deployed %q", got)
	}
}

// What others record in the environment is no record of ours, also when it looks
// like one, and a success of ours ends none of theirs.
func TestDeploymentOfOthersIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	task := w.deploymentTask("success")
	task.Promotion.Deployment.Environment = "staging"
	bot, err := w.AddBot("argo", map[string]string{"deployments": "write"}, w.gitops)
	must(t, err)
	must(t, bot.Do("POST", "/repos/acme/gitops/deployments", map[string]any{
		"ref": "main", "environment": "staging", "auto_merge": false, "required_contexts": []string{}, "payload": map[string]any{"promotion": promo},
	}, nil))
	theirs := w.Deployments(w.gitops)[0]
	must(t, bot.Do("POST", fmt.Sprintf("/repos/acme/gitops/deployments/%d/statuses", theirs.ID), map[string]any{"state": "success"}, nil))
	task.Effect.Look = true
	if got := w.run(task); got.DeploymentID == theirs.ID {
		t.Error("took the other app's for its own")
	}
	got := w.deployed()
	if len(got) != 2 || !strings.HasSuffix(got[0], "staging: success") || !strings.HasSuffix(got[1], "staging: success") {
		t.Errorf("deployed %q", got)
	}
}

func TestDeploymentIsAdopted(t *testing.T) {
	for _, c := range []struct{ lost, cost string }{
		{"POST */deployments", "1 writes, 2 reads"},            // made, and without a status
		{"POST */deployments/*/statuses", "0 writes, 2 reads"}, // all of it is there
	} {
		t.Run(c.lost, func(t *testing.T) {
			w := newWorld(t)
			again := w.lost(w.deploymentTask("success"), c.lost)
			if _, err := w.App(t.Context()); err != nil { // who we are is asked once in a process
				t.Fatal(err)
			}
			w.costs(c.cost, func() { w.run(again) })
			if slept := w.waits(); len(slept) != 1 || slept[0].Seconds() != 3 {
				t.Errorf("waited %v before it believed the list; want 3 s", slept)
			}
			if got := w.deployed(); len(got) != 1 || !strings.HasSuffix(got[0], "production: success") {
				t.Errorf("deployed %q", got)
			}
		})
	}
}

func TestDeploymentWithoutThePermission(t *testing.T) {
	w := newWorld(t)
	fewer := ghapi.Permissions()
	delete(fewer, "deployments")
	must(t, w.SetInstallationPermissions(w.inst, fewer))
	r := w.Run(t.Context(), w.deploymentTask("success"))
	if r.Err == nil || !strings.Contains(r.Err.Error(), "may not record a Deployment") || !strings.Contains(r.Err.Error(), "deployments=write") {
		t.Errorf("got %v, want the permission that is missing", r.Err)
	}
}
