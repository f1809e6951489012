package ghsim_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// A deployment that does not say otherwise merges the default branch, and wants everything green.
func TestDeploymentDefaults(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	repos, octocat := w.rest.Repositories, w.As("octocat")
	_, err := octocat.Commit(w.repo, "next", map[string]string{"a": "b"}, "Next")
	must(t, err)
	main, err := octocat.Commit(w.repo, "main", map[string]string{"c": "d"}, "Main moves")
	must(t, err)
	_, resp, err := repos.CreateDeployment(ctx, "acme", "gitops", &github.DeploymentRequest{Ref: github.String("next")})
	var accepted *github.AcceptedError
	if !errors.As(err, &accepted) || resp.StatusCode != 202 || len(w.Deployments(w.repo)) != 0 {
		t.Fatalf("auto-merge: %v", err)
	}
	log, err := w.Log(w.repo, "next")
	must(t, err)
	if len(log[0].Parents) != 2 || log[0].Parents[1] != main {
		t.Errorf("auto-merge made %+v", log[0])
	}
	must(t, octocat.SetStatus(w.repo, log[0].SHA, "ci", "pending", ""))
	if _, resp, _ := repos.CreateDeployment(ctx, "acme", "gitops", &github.DeploymentRequest{Ref: github.String("next")}); resp.StatusCode != 409 {
		t.Errorf("with a pending status: %d", resp.StatusCode)
	}
	d, _, err := repos.CreateDeployment(ctx, "acme", "gitops", &github.DeploymentRequest{Ref: github.String("next"), RequiredContexts: &[]string{}})
	must(t, err)
	if d.GetEnvironment() != "production" || d.GetSHA() != log[0].SHA || d.GetTask() != "deploy" || string(d.Payload) != "{}" {
		t.Errorf("%+v", d)
	}
	_, err = octocat.Commit(w.repo, "main", map[string]string{"a": "other"}, "Conflict")
	must(t, err)
	if _, resp, _ := repos.CreateDeployment(ctx, "acme", "gitops", &github.DeploymentRequest{Ref: github.String("next"), RequiredContexts: &[]string{}}); resp.StatusCode != 409 {
		t.Errorf("conflict: %d", resp.StatusCode)
	}
	if _, resp, _ := repos.CreateDeployment(ctx, "acme", "gitops", &github.DeploymentRequest{Ref: github.String("nothing")}); resp.StatusCode != 422 {
		t.Errorf("no ref: %d", resp.StatusCode)
	}
}

// A success ends the earlier deployments of the environment, silently.
func TestEarlierDeploymentsEnd(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	deploy := func(environment string) int64 {
		d, _, err := w.rest.Repositories.CreateDeployment(ctx, "acme", "gitops", &github.DeploymentRequest{
			Ref: github.String("main"), AutoMerge: github.Bool(false), RequiredContexts: &[]string{}, Environment: &environment,
		})
		must(t, err)
		_, _, err = w.rest.Repositories.CreateDeploymentStatus(ctx, "acme", "gitops", d.GetID(), &github.DeploymentStatusRequest{State: github.String("success")})
		must(t, err)
		return d.GetID()
	}
	deploy("staging")
	deploy("production")
	w.take()
	deploy("staging")
	deploy("production")
	if got := w.events(); !slices.Equal(got, []string{"deployment.created", "deployment_status.created", "deployment.created", "deployment_status.created"}) {
		t.Errorf("events %v", got)
	}
	var states []string
	for _, d := range w.Deployments(w.repo) {
		states = append(states, d.Environment+" "+d.Statuses[len(d.Statuses)-1].State)
	}
	if !slices.Equal(states, []string{"staging inactive", "production success", "staging success", "production success"}) {
		t.Errorf("%v", states)
	}
	_, resp, _ := w.rest.Repositories.CreateDeploymentStatus(ctx, "acme", "gitops", w.Deployments(w.repo)[0].ID, &github.DeploymentStatusRequest{
		State: github.String("success"), Description: github.String(strings.Repeat("é", 141)),
	})
	if resp.StatusCode != 422 {
		t.Errorf("long description: %d", resp.StatusCode)
	}
	found, _, err := w.rest.Repositories.ListDeployments(ctx, "acme", "gitops", &github.DeploymentsListOptions{Environment: "staging"})
	must(t, err)
	if len(found) != 2 || found[0].GetID() < found[1].GetID() {
		t.Errorf("%d of staging, newest first", len(found))
	}
}

func TestDispatch(t *testing.T) {
	w := newWorld(t)
	w.take()
	must(t, w.As("octocat").Dispatch(w.repo, "image-published", map[string]any{"tag": "1.4.2"}))
	got := w.take()
	if len(got) != 1 || got[0].event() != "repository_dispatch" {
		t.Fatalf("%d events", len(got))
	}
	p := got[0].payload(t)
	if p["action"] != "image-published" || p["branch"] != "main" || p["client_payload"].(map[string]any)["tag"] != "1.4.2" {
		t.Errorf("%s", got[0].body)
	}
	if err := w.As("octocat").Dispatch(w.repo, "", nil); refusal(err) != 422 {
		t.Errorf("no type: %v", err)
	}
}

// Without issues their routes are gone, those of pull requests stay.
func TestIssuesSwitchedOff(t *testing.T) {
	w, octocat := newWorld(t), ghsim.Person{}
	octocat = w.As("octocat")
	issue, err := octocat.CreateIssue(w.repo, "Promotions", "")
	must(t, err)
	number := w.pullRequest("next")
	must(t, w.SetIssues(w.repo, false))
	for what, err := range map[string]error{
		"create":  second(octocat.CreateIssue(w.repo, "x", "")),
		"comment": second(octocat.Comment(w.repo, issue, "x")),
		"list":    octocat.Do("GET", "/repos/acme/gitops/issues", nil, nil),
	} {
		if refusal(err) != 410 {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = octocat.Comment(w.repo, number, "on a pull request")
	must(t, err)
	must(t, w.SetIssues(w.repo, true))
	_, err = octocat.Comment(w.repo, issue, "back")
	must(t, err)
}
