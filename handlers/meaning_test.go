package handlers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// only is the body of the one event that a payload gives.
func only[T promotion.EventBody](t *testing.T, event string, payload []byte) T {
	t.Helper()
	events := translate(t, event, payload)
	if len(events) != 1 {
		t.Fatalf("%s gave %d events, want 1", event, len(events))
	}
	body, ok := events[0].Body.(T)
	if !ok {
		t.Fatalf("%s gave a %T", event, events[0].Body)
	}
	return body
}

func none(t *testing.T, event string, payload []byte) {
	t.Helper()
	if events := translate(t, event, payload); len(events) > 0 {
		t.Errorf("%s gave %+v, want nothing", event, events)
	}
}

func TestPush(t *testing.T) {
	payload := with(t, recorded(t, "push.json"), false, "created")
	if p := only[promotion.Pushed](t, "push", payload); !p.Complete {
		t.Error("an ordinary push lists its commits")
	}
	commits := make([]any, 2048)
	for i := range commits {
		commits[i] = map[string]any{"id": "a"}
	}
	for name, incomplete := range map[string][]byte{
		"forced":     with(t, payload, true, "forced"),
		"created":    with(t, payload, true, "created"),
		"deleted":    with(t, payload, true, "deleted"),
		"no commits": with(t, payload, []any{}, "commits"),
		"too many":   with(t, payload, commits, "commits"),
	} {
		if p := only[promotion.Pushed](t, "push", incomplete); p.Complete {
			t.Errorf("%s: the list of commits counts as complete", name)
		}
	}
	for files, complete := range map[int]bool{299: true, 300: false} {
		large := with(t, payload, []any{map[string]any{"id": "c", "added": slices.Repeat([]any{"a"}, files)}}, "commits")
		if p := only[promotion.Pushed](t, "push", large); p.Complete != complete {
			t.Errorf("a commit that names %d files: complete %v", files, p.Complete)
		}
	}
	if p := only[promotion.Pushed](t, "push", with(t, payload, commits[:2047], "commits")); !p.Complete || len(p.Commits) != 2047 {
		t.Error("2,047 commits are all of them")
	}
	if m := only[promotion.Moved](t, "push", with(t, payload, "refs/tags/v1", "ref")); m.Watch != "tags:codertocat/hello-world" {
		t.Errorf("a tag: %+v", m)
	}
	none(t, "push", with(t, payload, "refs/heads/gh-readonly-queue/main/pr-1-abc", "ref"))
	deep := with(t, payload, "refs/heads/feature/a/b", "ref")
	if p := only[promotion.Pushed](t, "push", deep); p.Branch != "feature/a/b" {
		t.Errorf("branch %q", p.Branch)
	}
	commit := map[string]any{"id": "b", "added": []any{"x"}, "modified": []any{"y"}, "removed": []any{"z"}}
	p := only[promotion.Pushed](t, "push", with(t, payload, []any{commit}, "commits"))
	if diff := cmp.Diff([]string{"x", "y", "z"}, p.Commits[0].Paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

func TestPullRequest(t *testing.T) {
	closed := recorded(t, "pull_request.closed.json")
	merged := with(t, with(t, closed, true, "pull_request", "merged"), "abc", "pull_request", "merge_commit_sha")
	if p := only[promotion.PullRequestChanged](t, "pull_request", merged); !p.Merged || p.MergedAs != "abc" {
		t.Errorf("a merge gave %+v", p)
	}
	unmerged := with(t, closed, "abc", "pull_request", "merge_commit_sha")
	if p := only[promotion.PullRequestChanged](t, "pull_request", unmerged); p.Merged || p.MergedAs != "" {
		t.Errorf("the test merge of a closed pull request counts: %+v", p)
	}
	opened := recorded(t, "pull_request.opened.json")
	for name, payload := range map[string][]byte{
		"a fork":      with(t, opened, 99, "pull_request", "head", "repo", "id"),
		"a lost fork": with(t, opened, nil, "pull_request", "head", "repo"),
	} {
		if p := only[promotion.PullRequestChanged](t, "pull_request", payload); p.SameRepo {
			t.Errorf("%s counts as the same repository", name)
		}
	}
	pushed := with(t, recorded(t, "pull_request.synchronize.json"), "monalisa", "sender", "login")
	if p := only[promotion.PullRequestChanged](t, "pull_request", pushed); p.By != "monalisa" {
		t.Errorf("a push to Codertocat's pull request is by %q; want who pushed", p.By)
	}
}

func TestIssueComment(t *testing.T) {
	comment := with(t, recorded(t, "issue_comment.created.json"), "Go:\r\n/promote prod", "comment", "body")
	want := promotion.Commented{
		Comment: 492700400, Number: 1, By: "Codertocat", ByID: 21031067,
		Commands: []promotion.Command{{Line: 2, Name: "promote", Args: []string{"prod"}}},
	}
	if diff := cmp.Diff(want, only[promotion.Commented](t, "issue_comment", comment)); diff != "" {
		t.Errorf("comment (-want +got):\n%s", diff)
	}
	onPR := with(t, comment, map[string]any{"url": "x"}, "issue", "pull_request")
	if !only[promotion.Commented](t, "issue_comment", onPR).PullRequest {
		t.Error("a pull request counts as an issue")
	}
	for name, payload := range map[string][]byte{
		"no command":       with(t, comment, "Nice.", "comment", "body"),
		"edited":           with(t, comment, "edited", "action"),
		"deleted":          with(t, comment, "deleted", "action"),
		"in another name":  with(t, comment, 7, "sender", "id"),
		"a bot's":          with(t, with(t, comment, "Bot", "sender", "type"), "Bot", "comment", "user", "type"),
		"our own":          with(t, comment, "stagecoach[bot]", "sender", "login"),
		"an organization":  with(t, comment, "Organization", "comment", "user", "type"),
		"a lost account's": with(t, comment, nil, "comment", "user"),
	} {
		t.Run(name, func(t *testing.T) { none(t, "issue_comment", payload) })
	}
}

func TestInstallation(t *testing.T) {
	created := recorded(t, "installation.created.json")
	two := []any{map[string]any{"id": 1, "full_name": "acme/a", "name": "a"}, map[string]any{"id": 2, "full_name": "acme/b", "name": "b", "private": true}}
	events := translate(t, "installation", with(t, created, two, "repositories"))
	if len(events) != 2 || events[1].Repo.FullName() != "acme/b" || !events[1].Repo.Private {
		t.Errorf("two repositories gave %+v", events)
	}
	for action, want := range map[string][]promotion.EventBody{
		"created":                  {promotion.TakenUp{}},
		"unsuspend":                {promotion.Unblocked{}, promotion.TakenUp{}},
		"new_permissions_accepted": {promotion.Unblocked{}},
		"something new":            nil,
	} {
		payload := with(t, with(t, created, nil, "repositories"), action, "action")
		var bodies []promotion.EventBody
		for _, e := range translate(t, "installation", payload) {
			bodies = append(bodies, e.Body)
			if e.Repo.ID != 0 || e.Repo.Installation != 957387 {
				t.Errorf("%s is about %+v", action, e.Repo)
			}
		}
		if diff := cmp.Diff(want, bodies); diff != "" {
			t.Errorf("%s (-want +got):\n%s", action, diff)
		}
	}
}

func TestInstallationRepositoriesWithoutAList(t *testing.T) {
	added := with(t, recorded(t, "installation_repositories.added.json"), []any{}, "repositories_added")
	if e := translate(t, "installation_repositories", added); len(e) != 1 || e[0].Repo.ID != 0 {
		t.Errorf("gained an unknown number: %+v", e)
	}
	removed := with(t, recorded(t, "installation_repositories.removed.json"), []any{}, "repositories_removed")
	none(t, "installation_repositories", removed)
}

func TestIssues(t *testing.T) {
	edited := recorded(t, "issues.edited.json")
	for _, action := range strings.Fields("edited closed reopened deleted transferred unlabeled") {
		if got := only[promotion.LedgerTouched](t, "issues", with(t, edited, action, "action")); got.Action != action {
			t.Errorf("%s gave %+v", action, got)
		}
	}
	none(t, "issues", with(t, edited, "assigned", "action"))
	none(t, "issues", with(t, edited, "stagecoach[bot]", "sender", "login"))
}

func TestRepository(t *testing.T) {
	renamed := recorded(t, "repository.renamed.json")
	archived := with(t, with(t, renamed, "archived", "action"), true, "repository", "archived")
	if e := translate(t, "repository", archived); len(e) != 1 || e[0].Repo.Idle != "archived" {
		t.Errorf("archived gave %+v", e)
	}
	edited := with(t, renamed, "edited", "action")
	none(t, "repository", edited)
	only[promotion.Renamed](t, "repository", with(t, edited, map[string]any{"from": "master"}, "changes", "default_branch"))
	if got := only[promotion.LetGo](t, "repository", with(t, renamed, "deleted", "action")); got.Reason != "the repository was deleted by Codertocat" {
		t.Errorf("deleted gave %+v", got)
	}
	none(t, "repository", with(t, renamed, "publicized", "action"))
}

func TestEventsAreSorted(t *testing.T) {
	want := strings.Fields("check_run installation installation_repositories issue_comment issues pull_request pull_request_review push registry_package release repository repository_dispatch status")
	got := handlers.Events()
	if !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	got[0] = "changed"
	if handlers.Events()[0] != want[0] {
		t.Error("a caller can change the list")
	}
}
