package ghsim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// Auto-merge is refused where nothing has to be waited for, and merges by itself when all is there.
func TestAutoMerge(t *testing.T) {
	w := newWorld(t)
	must(t, w.SetPermission(w.repo, "hubot", "write"))
	number := w.pullRequest("next")
	own, err := w.AsInstallation(w.inst)
	must(t, err)
	refused := func(want string) {
		t.Helper()
		if err := own.EnableAutoMerge(w.repo, number, "squash"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	refused("Auto merge is not allowed for this repository")
	must(t, w.AllowAutoMerge(w.repo, true))
	refused("Protected branch rules not configured for this branch")
	_, err = w.AddRuleset(w.repo, "main", ghsim.Rules{Approvals: 1})
	must(t, err)
	_, err = w.As("hubot").Approve(w.repo, number)
	must(t, err)
	refused("Pull request is in clean status")
	_, err = w.As("hubot").RequestChanges(w.repo, number, "wait")
	must(t, err)
	w.take()
	must(t, own.EnableAutoMerge(w.repo, number, "squash"))
	must(t, own.DisableAutoMerge(w.repo, number))
	must(t, own.EnableAutoMerge(w.repo, number, "squash"))
	if got := w.events(); !slices.Equal(got, []string{"pull_request.auto_merge_enabled", "pull_request.auto_merge_disabled", "pull_request.auto_merge_enabled"}) {
		t.Errorf("events %v", got)
	}
	_, err = w.As("hubot").Approve(w.repo, number)
	must(t, err)
	if got := w.events(); !slices.Contains(got, "pull_request.closed") {
		t.Errorf("events %v", got)
	}
	if p := w.PullRequests(w.repo)[0]; !p.Merged || p.MergedBy != "stagecoach[bot]" {
		t.Errorf("%+v", p)
	}
}

// Nobody without write access pushes under somebody's wish, and a base that changes ends it.
func TestAutoMergeEndsWithTheBase(t *testing.T) {
	w := newWorld(t)
	number := w.pullRequest("next")
	_, err := w.As("octocat").Commit(w.repo, "other", map[string]string{"a": "b"}, "Other")
	must(t, err)
	must(t, w.AllowAutoMerge(w.repo, true))
	_, err = w.AddRuleset(w.repo, "main", ghsim.Rules{Approvals: 1})
	must(t, err)
	must(t, w.As("octocat").EnableAutoMerge(w.repo, number, "merge"))
	w.take()
	must(t, w.As("octocat").Do("PATCH", "/repos/acme/gitops/pulls/1", map[string]string{"base": "other"}, nil))
	if got := w.events(); !slices.Equal(got, []string{"pull_request.auto_merge_disabled", "pull_request.edited"}) {
		t.Errorf("events %v", got)
	}
}

func TestMergeQueue(t *testing.T) {
	w := newWorld(t)
	ci, err := w.AddBot("ci", nil, w.repo)
	must(t, err)
	octocat, hubot := w.As("octocat"), w.As("hubot")
	must(t, w.SetPermission(w.repo, "hubot", "write"))
	must(t, w.SetPermission(w.repo, "boss", "admin"))
	open := func(branch string) int {
		_, err := octocat.Commit(w.repo, branch, map[string]string{branch: "1\n"}, "Add "+branch)
		must(t, err)
		n, err := octocat.CreatePR(w.repo, branch, "main", "Add "+branch, "")
		must(t, err)
		_, err = ci.Check(w.repo, w.Branches(w.repo)[branch], "build", "success")
		must(t, err)
		return n
	}
	good, bad, last := open("good"), open("bad"), open("last")
	if err := octocat.Enqueue(w.repo, good); err == nil {
		t.Error("a queue where there is none")
	}
	_, err = w.AddRuleset(w.repo, "main", ghsim.Rules{MergeQueue: true, Checks: []ghsim.RequiredCheck{{Name: "build"}}, Bypass: []string{"boss"}})
	must(t, err)
	if _, err := octocat.Merge(w.repo, good, "merge"); refusal(err) != 405 || !strings.Contains(err.Error(), "Changes must be made through the merge queue") {
		t.Errorf("past the queue: %v", err)
	}
	w.take()
	for _, n := range []int{good, bad, last} {
		must(t, hubot.Enqueue(w.repo, n))
	}
	if got := w.events(); count(got, "merge_group.checks_requested") != 3 || count(got, "pull_request.enqueued") != 3 {
		t.Errorf("events %v", got)
	}
	report := func(branch, conclusion string) {
		t.Helper()
		for name, sha := range w.Branches(w.repo) {
			if strings.HasPrefix(name, "gh-readonly-queue/main/pr-"+branch) {
				_, err := ci.Check(w.repo, sha, "build", conclusion)
				must(t, err)
				w.idle()
				return
			}
		}
		t.Fatalf("no branch of the queue for #%s in %v", branch, w.Branches(w.repo))
	}
	report("1", "success")
	report("2", "failure")
	got := w.events()
	for _, want := range []string{"pull_request.closed", "pull_request.dequeued", "merge_group.destroyed"} {
		if !slices.Contains(got, want) {
			t.Errorf("events %v, want %s", got, want)
		}
	}
	report("3", "success")
	all := w.PullRequests(w.repo)
	if !all[0].Merged || all[1].Merged || all[1].State != "open" || !all[2].Merged || all[2].MergedBy != "hubot" {
		t.Errorf("%+v", all)
	}
	files, err := w.Files(w.repo, "main")
	must(t, err)
	if !slices.Contains(files, "good") || slices.Contains(files, "bad") || !slices.Contains(files, "last") {
		t.Errorf("main has %v", files)
	}
	for name := range w.Branches(w.repo) {
		if strings.HasPrefix(name, "gh-readonly-queue") {
			t.Errorf("branch %s is left", name)
		}
	}
}

func count(all []string, one string) int {
	n := 0
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}
