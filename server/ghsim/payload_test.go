package ghsim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// omitted are fields that the recorded payloads have and the simulator does not send, with the reason.
var omitted = map[string]string{
	"check_run.check_suite.pull_requests[]": "the recorded one is from before GitHub emptied the list for merged heads",
	"release.discussion_url":                "the simulator knows no discussions",
	"installation.permissions":              "each App has its own permissions",
	"check_run.app.permissions":             "each App has its own permissions",
	"check_run.check_suite.app.permissions": "each App has its own permissions",
	"check_suite.app.permissions":           "each App has its own permissions",
}

// differs are fields whose JSON type depends on the situation: a person or null, a text or null.
var differs = map[string]string{
	"pull_request.mergeable":             "null until GitHub's background job has looked",
	"pull_request.rebaseable":            "null until GitHub's background job has looked",
	"pull_request.merge_commit_sha":      "null until GitHub's background job has looked",
	"requester":                          "only when somebody without the right asked for the installation",
	"commit.commit.verification":         "the simulator's commits are unsigned",
	"repository.language":                "the simulator knows no languages",
	"repository.license":                 "the simulator knows no licenses",
	"repository.description":             "the simulator's repositories have none",
	"repository.homepage":                "the simulator's repositories have none",
	"issue.assignee":                     "the simulator assigns nobody",
	"issue.milestone":                    "the simulator has no milestones",
	"pull_request.assignee":              "the simulator assigns nobody",
	"pull_request.milestone":             "the simulator has no milestones",
	"installation.single_file_name":      "no App here uses the single-file permission",
	"pull_request.head.repo.language":    "the simulator knows no languages",
	"pull_request.base.repo.language":    "the simulator knows no languages",
	"pull_request.base.repo.description": "the simulator's repositories have none",
}

// The payloads have the fields of real ones, with the same JSON types.
func TestPayloadsHaveTheFieldsOfRealOnes(t *testing.T) {
	if shared() == "" {
		t.Skip("recorded webhooks (shared/github/webhooks) are not beside this checkout")
	}
	got := everyPayload(t)
	for _, name := range []string{
		"push", "push.tag-deleted", "pull_request.opened", "pull_request.synchronize", "pull_request.closed", "pull_request.reopened", "pull_request.labeled",
		"issues.edited", "issue_comment.created", "issue_comment.edited", "issue_comment.deleted", "check_run.created", "check_run.completed",
		"check_run.requested_action", "check_suite.requested", "check_suite.completed", "check_run.rerequested", "check_suite.rerequested", "status", "release.published", "deployment_status.created", "repository.transferred", "installation.created", "installation.deleted",
		"installation.suspend", "installation_repositories.added", "installation_repositories.removed", "repository.renamed",
	} {
		t.Run(name, func(t *testing.T) {
			if got[name] == nil {
				t.Fatalf("no such event was sent; there were %v", keys(got))
			}
			raw, err := os.ReadFile(filepath.Join(shared(), "github", "webhooks", name+".json"))
			must(t, err)
			var want map[string]any
			must(t, json.Unmarshal(raw, &want))
			if strings.HasPrefix(name, "deployment_status") { // the recorded one is by GitHub Actions
				delete(want, "check_run")
				delete(want, "workflow_run")
			}
			for _, problem := range compare("", want, got[name]) {
				t.Error(problem)
			}
			if got[name]["installation"] == nil {
				t.Error("no installation")
			}
		})
	}
}

func keys(m map[string]map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// compare lists the fields of want that got lacks or has with another type. Lists are compared by their first entries.
func compare(path string, want, got any) []string {
	if differs[strings.TrimPrefix(path, ".")] != "" || omitted[strings.TrimPrefix(path, ".")] != "" {
		return nil
	}
	if kind(want) != kind(got) {
		if want == nil || got == nil && strings.HasSuffix(path, "_at") {
			return nil // null stands for a time or text that is not there yet
		}
		return []string{fmt.Sprintf("%s: real payloads have a %s, ours a %s", path, kind(want), kind(got))}
	}
	var problems []string
	switch want := want.(type) {
	case map[string]any:
		for k, v := range want {
			ours, has := got.(map[string]any)[k]
			if !has {
				if at := strings.TrimPrefix(path+"."+k, "."); omitted[at] == "" && differs[at] == "" {
					problems = append(problems, at+" is missing")
				}
				continue
			}
			problems = append(problems, compare(path+"."+k, v, ours)...)
		}
	case []any:
		if ours := got.([]any); len(want) > 0 && len(ours) > 0 {
			problems = append(problems, compare(path+"[]", want[0], ours[0])...)
		}
	}
	return problems
}

func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "object"
	case []any:
		return "list"
	case string:
		return "text"
	case bool:
		return "truth value"
	}
	return "number"
}

// everyPayload lets everything happen once and gives the last payload of each event and action.
func everyPayload(t *testing.T) map[string]map[string]any {
	w, octocat := newWorld(t), ghsim.Person{}
	octocat = w.As("octocat")
	number := w.pullRequest("next")
	lifeOfIssue(w, octocat)
	lifeOfCheck(w, number)
	lifeOfPull(w, octocat, number)
	dir := w.clone("octocat", w.AddUser("octocat"))
	w.mustGit(dir, "push", "-q", "origin", "HEAD:refs/tags/v1")
	w.mustGit(dir, "push", "-q", "origin", "HEAD:refs/heads/copy")
	got := w.payloads()
	w.mustGit(dir, "push", "-q", "origin", ":refs/tags/v1")
	got["push.tag-deleted"] = w.payloads()["push"]
	_, err := w.As("octocat").Publish(w.repo, "v2", false)
	must(t, err)
	lifeOfInstallation(w)
	for name, payload := range w.payloads() {
		got[name] = payload
	}
	return got
}

func (w *world) payloads() map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, r := range w.take() {
		p := r.payload(w.t)
		name := r.event()
		if action, is := p["action"].(string); is {
			name += "." + action
		}
		out[name] = p
	}
	return out
}

func lifeOfIssue(w *world, octocat ghsim.Person) {
	n, err := octocat.CreateIssue(w.repo, "Promotions", "a")
	must(w.t, err)
	must(w.t, octocat.EditIssue(w.repo, n, map[string]any{"labels": []string{"bug"}}))
	must(w.t, octocat.EditIssue(w.repo, n, map[string]any{"body": "b"}))
	id, err := octocat.Comment(w.repo, n, "hello")
	must(w.t, err)
	must(w.t, octocat.EditComment(w.repo, id, "bye"))
	must(w.t, octocat.Do("DELETE", fmt.Sprintf("/repos/acme/gitops/issues/comments/%d", id), nil, nil))
}

func lifeOfCheck(w *world, number int) {
	ctx := context.Background()
	head := w.PullRequests(w.repo)[0].HeadSHA
	run, _, err := w.rest.Checks.CreateCheckRun(ctx, "acme", "gitops", github.CreateCheckRunOptions{Name: "stagecoach/dev", HeadSHA: head})
	must(w.t, err)
	_, _, err = w.rest.Checks.UpdateCheckRun(ctx, "acme", "gitops", run.GetID(), github.UpdateCheckRunOptions{
		Name: "stagecoach/dev", Conclusion: github.String("action_required"), Output: &github.CheckRunOutput{Title: github.String("Waiting"), Summary: github.String("s"), Text: github.String("t")},
		Actions: []*github.CheckRunAction{{Label: "Approve", Description: "approve it", Identifier: "approve"}},
	})
	must(w.t, err)
	octocat := w.As("octocat")
	must(w.t, octocat.PressButton(w.repo, run.GetID(), "approve"))
	must(w.t, octocat.RerunCheck(w.repo, run.GetID()))
	_, _, err = w.rest.Checks.UpdateCheckRun(ctx, "acme", "gitops", run.GetID(), github.UpdateCheckRunOptions{Name: "stagecoach/dev", Conclusion: github.String("success")})
	must(w.t, err)
	must(w.t, octocat.RerunChecks(w.repo, run.GetCheckSuite().GetID()))
	must(w.t, octocat.SetStatus(w.repo, head, "ci/build", "success", "built"))
}

func lifeOfPull(w *world, octocat ghsim.Person, number int) {
	must(w.t, octocat.EditIssue(w.repo, number, map[string]any{"labels": []string{"promotion"}}))
	_, err := octocat.Commit(w.repo, "next", map[string]string{"more.txt": "more\n"}, "More")
	must(w.t, err)
	must(w.t, octocat.ClosePR(w.repo, number))
	must(w.t, octocat.Do("PATCH", fmt.Sprintf("/repos/acme/gitops/pulls/%d", number), map[string]any{"state": "open"}, nil))
}

func lifeOfInstallation(w *world) {
	other, err := w.CreateRepo("acme", "other", ghsim.RepoOptions{})
	must(w.t, err)
	must(w.t, w.AddToInstallation(w.inst, other))
	must(w.t, w.RemoveFromInstallation(w.inst, other))
	_, err = w.RenameRepo(w.repo, "deploy")
	must(w.t, err)
	bot, err := w.AddBot("deployer", nil, w.repo)
	must(w.t, err)
	must(w.t, bot.Do("POST", "/repos/acme/deploy/deployments", map[string]any{"ref": "main", "auto_merge": false, "required_contexts": []string{}}, nil))
	must(w.t, bot.Do("POST", fmt.Sprintf("/repos/acme/deploy/deployments/%d/statuses", w.Deployments(w.repo)[0].ID),
		map[string]any{"state": "in_progress", "log_url": "https://ci.example.com/1"}, nil))
	_, err = w.Install(w.app.ID, "octo-org")
	must(w.t, err)
	own, err := w.CreateRepo("monalisa", "tool", ghsim.RepoOptions{})
	must(w.t, err)
	_, err = w.TransferRepo(own, "octo-org")
	must(w.t, err)
	must(w.t, w.Suspend(w.inst))
	must(w.t, w.Unsuspend(w.inst))
	inst, err := w.Install(w.app.ID, "acme", w.repo)
	must(w.t, err)
	must(w.t, w.Uninstall(inst))
}
