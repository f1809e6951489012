package ghsim_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func newPull(head, base string) *github.NewPullRequest {
	return &github.NewPullRequest{Title: github.String("t"), Head: &head, Base: &base}
}

func TestPullRequestsThatGitHubRefuses(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.pullRequest("next")
	_, err := w.As("octocat").Commit(w.repo, "same", nil, "x")
	must(t, err)
	long := strings.Repeat("é", 65537)
	for name, c := range map[string]struct {
		in   *github.NewPullRequest
		want string
	}{
		"exists already":     {newPull("next", "main"), "A pull request already exists for acme:next."},
		"no commits between": {newPull("main", "same"), "No commits between same and main"},
		"unknown head":       {newPull("nothing", "main"), "Field:head"},
		"unknown base":       {newPull("next", "nothing"), "Field:base"},
		"no title":           {&github.NewPullRequest{Head: github.String("next"), Base: github.String("main")}, "Field:title"},
		"body too long":      {&github.NewPullRequest{Title: &long, Head: github.String("next"), Base: github.String("same"), Body: &long}, "body is too long"},
	} {
		_, _, err := w.rest.PullRequests.Create(ctx, "acme", "gitops", c.in)
		if status(err) != 422 || !strings.Contains(fmt.Sprintf("%v %+v", err, err.(*github.ErrorResponse).Errors), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Mergeability is unknown at first, known at the next look, and unknown again when head or base moved.
func TestMergeability(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	n := w.pullRequest("next")
	look := func() string {
		pr, _, err := w.rest.PullRequests.Get(ctx, "acme", "gitops", n)
		must(t, err)
		if pr.Mergeable == nil {
			return "null " + pr.GetMergeableState()
		}
		return fmt.Sprint(pr.GetMergeable(), " ", pr.GetMergeableState())
	}
	octocat := w.As("octocat")
	steps := []struct {
		do   func() error
		want string
	}{
		{nil, "null unknown"},
		{nil, "true clean"},
		{func() error {
			_, err := octocat.Commit(w.repo, "main", map[string]string{"other": "x"}, "Other")
			return err
		}, "null unknown"},
		{nil, "true clean"},
		{func() error {
			_, err := octocat.Commit(w.repo, "main", map[string]string{"envs/dev/kustomization.yaml": "x"}, "Conflict")
			return err
		}, "null unknown"},
		{nil, "false dirty"},
	}
	for n, step := range steps {
		if step.do != nil {
			must(t, step.do())
		}
		if got := look(); got != step.want {
			t.Errorf("step %d: %s, want %s", n+1, got, step.want)
		}
	}
	for _, method := range []string{"merge", "squash", "rebase"} {
		if _, err := octocat.Merge(w.repo, n, method); err == nil || !strings.Contains(err.Error(), "405") {
			t.Errorf("%s of a conflict: %v", method, err)
		}
	}
}

func TestMergeMethods(t *testing.T) {
	for method, want := range map[string]struct {
		parents int
		message string
	}{
		"merge":  {2, "Merge pull request #1 from acme/next\n\nPromote next"},
		"squash": {1, "Promote next (#1)\n\n* Promote next\n\n* Second\n\nStagecoach-Stage: dev"},
		"rebase": {1, "Second\n\nStagecoach-Stage: dev"},
	} {
		t.Run(method, func(t *testing.T) {
			w := newWorld(t)
			n := w.pullRequest("next")
			octocat := w.As("octocat")
			_, err := octocat.Commit(w.repo, "next", map[string]string{"b": "b"}, "Second\n\nStagecoach-Stage: dev")
			must(t, err)
			_, err = octocat.Commit(w.repo, "main", map[string]string{"a": "a"}, "Meanwhile")
			must(t, err)
			sha, err := octocat.Merge(w.repo, n, method)
			must(t, err)
			log, err := w.Log(w.repo, "main")
			must(t, err)
			if log[0].SHA != sha || len(log[0].Parents) != want.parents || log[0].Message != want.message {
				t.Errorf("%+v", log[0])
			}
			files, err := w.Files(w.repo, "main")
			must(t, err)
			if !slices.Equal(files, []string{"README.md", "a", "b", "envs/dev/kustomization.yaml"}) {
				t.Errorf("files %v", files)
			}
			pr := w.PullRequests(w.repo)[0]
			if !pr.Merged || pr.State != "closed" || pr.MergeCommit != sha || pr.MergedBy != "octocat" {
				t.Errorf("%+v", pr)
			}
		})
	}
}

func TestMergesThatGitHubRefuses(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	strict, err := w.CreateRepo("acme", "strict", ghsim.RepoOptions{MergeMethods: []string{"squash"}, Files: map[string]string{"a": "a"}, DeleteBranchOnMerge: true})
	must(t, err)
	must(t, w.AddToInstallation(w.inst, strict))
	must(t, w.SetPermission(strict, "octocat", "write"))
	head, err := w.As("octocat").Commit(strict, "next", map[string]string{"a": "b"}, "B")
	must(t, err)
	draft := newPull("next", "main")
	draft.Draft = github.Bool(true)
	_, _, err = w.rest.PullRequests.Create(ctx, "acme", "strict", draft)
	must(t, err)
	number := 1
	merge := func(method, sha string) (int, string) {
		_, _, err := w.rest.PullRequests.Merge(ctx, "acme", "strict", number, "", &github.PullRequestOptions{MergeMethod: method, SHA: sha})
		if err == nil {
			return 200, ""
		}
		return status(err), err.(*github.ErrorResponse).Message
	}
	check := func(gotStatus int, gotMessage string, wantStatus int, wantMessage string) {
		t.Helper()
		if gotStatus != wantStatus || gotMessage != wantMessage {
			t.Errorf("%d %q, want %d %q", gotStatus, gotMessage, wantStatus, wantMessage)
		}
	}
	s, m := merge("squash", head)
	check(s, m, 405, "Pull Request is still a draft")
	must(t, w.As("octocat").ClosePR(strict, 1))
	s, m = merge("squash", head)
	check(s, m, 405, "Pull Request is not mergeable")
	issue, err := w.As("octocat").CreateIssue(strict, "Promotions", "")
	must(t, err)
	number, err = w.As("octocat").CreatePR(strict, "next", "main", "t", "Fixes #2 and closes #99")
	must(t, err)
	s, m = merge("merge", head)
	check(s, m, 405, "Merge commits are not allowed on this repository.")
	s, m = merge("squash", strings.Repeat("1", 40))
	check(s, m, 409, "Head branch was modified. Review and try the merge again.")
	s, m = merge("octopus", head)
	check(s, m, 422, "Validation Failed")
	s, m = merge("squash", head)
	check(s, m, 200, "")
	if _, still := w.Branches(strict)["next"]; still {
		t.Error("the head branch was not deleted on merge")
	}
	if i := w.Issues(strict)[0]; i.Number != issue || i.State != "closed" {
		t.Errorf("the closing keyword did not close the issue: %+v", i)
	}
	s, m = merge("squash", head)
	check(s, m, 405, "Pull Request is not mergeable")
}

// A pull request follows its branches: pushes to its head, its head's deletion, and its commits landing by a push.
func TestPullRequestsFollowTheirBranches(t *testing.T) {
	w, octocat := newWorld(t), ghsim.Person{}
	octocat = w.As("octocat")
	deleted, pushed, closed := w.pullRequest("deleted"), w.pullRequest("pushed"), w.pullRequest("closed")
	w.take()
	must(t, octocat.ClosePR(w.repo, closed))
	must(t, octocat.DeleteBranch(w.repo, "deleted"))
	second, err := octocat.Commit(w.repo, "pushed", map[string]string{"x": "x"}, "X")
	must(t, err)
	dir := w.clone("octocat", w.AddUser("octocat"))
	w.mustGit(dir, "push", "-q", "origin", "origin/pushed:main")
	byNumber := map[int]ghsim.PullRequest{}
	for _, pr := range w.PullRequests(w.repo) {
		byNumber[pr.Number] = pr
	}
	if pr := byNumber[deleted]; pr.State != "closed" || pr.Merged {
		t.Errorf("head deleted: %+v", pr)
	}
	if pr := byNumber[pushed]; !pr.Merged || pr.HeadSHA != second || pr.MergeCommit != second {
		t.Errorf("landed by a push: %+v", pr)
	}
	reopen := map[string]any{"state": "open"}
	if err := octocat.Do("PATCH", fmt.Sprintf("/repos/acme/gitops/pulls/%d", deleted), reopen, nil); err == nil || !strings.Contains(err.Error(), "branch was deleted") {
		t.Errorf("reopened without its head: %v", err)
	}
	must(t, octocat.Do("PATCH", fmt.Sprintf("/repos/acme/gitops/pulls/%d", closed), reopen, nil))
	want := []string{"pull_request.closed", "push", "pull_request.closed", "push", "check_suite.requested", "pull_request.synchronize",
		"push", "pull_request.closed", "pull_request.reopened"}
	if got := w.events(); !slices.Equal(got, want) {
		t.Errorf("events\n got %v\nwant %v", got, want)
	}
}

func TestFindingPullRequests(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	one, two := w.pullRequest("one"), w.pullRequest("two")
	sha, err := w.As("octocat").Merge(w.repo, one, "squash")
	must(t, err)
	for name, c := range map[string]struct {
		opts github.PullRequestListOptions
		want []int
	}{
		"open":           {github.PullRequestListOptions{}, []int{two}},
		"all":            {github.PullRequestListOptions{State: "all"}, []int{two, one}},
		"head":           {github.PullRequestListOptions{State: "all", Head: "acme:one"}, []int{one}},
		"head of others": {github.PullRequestListOptions{State: "all", Head: "hubot:one"}, nil},
		"base":           {github.PullRequestListOptions{Base: "other"}, nil},
	} {
		prs, _, err := w.rest.PullRequests.List(ctx, "acme", "gitops", &c.opts)
		must(t, err)
		if got := numbers(prs); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	for commit, want := range map[string][]int{sha: {one}, w.Branches(w.repo)["two"]: {two}, w.Branches(w.repo)["one"]: {one}} {
		prs, _, err := w.rest.PullRequests.ListPullRequestsWithCommit(ctx, "acme", "gitops", commit, nil)
		must(t, err)
		if got := numbers(prs); !slices.Equal(got, want) {
			t.Errorf("of commit %s: %v, want %v", commit, got, want)
		}
	}
}

func numbers(prs []*github.PullRequest) []int {
	var out []int
	for _, pr := range prs {
		out = append(out, pr.GetNumber())
	}
	return out
}

func TestFilesOfAPullRequest(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	_, err := w.As("octocat").Commit(w.repo, "next", map[string]string{
		"README.md": ghsim.Deleted, "envs/dev/kustomization.yaml": "images:\n- name: web\n  newTag: 1.4.2\n", "new \"file\"\tü": "x\x00",
	}, "Change")
	must(t, err)
	n, err := w.As("octocat").CreatePR(w.repo, "next", "main", "t", "")
	must(t, err)
	files, _, err := w.rest.PullRequests.ListFiles(ctx, "acme", "gitops", n, nil)
	must(t, err)
	var got []string
	for _, f := range files {
		got = append(got, fmt.Sprintf("%s %s +%d -%d", f.GetStatus(), f.GetFilename(), f.GetAdditions(), f.GetDeletions()))
	}
	want := []string{"removed README.md +0 -1", "modified envs/dev/kustomization.yaml +1 -1", "added new \"file\"\tü +0 -0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if patch := "@@ -1,3 +1,3 @@\n images:\n - name: web\n-  newTag: 1.4.1\n+  newTag: 1.4.2"; files[1].GetPatch() != patch {
		t.Errorf("patch %q", files[1].GetPatch())
	}
	pr, _, err := w.rest.PullRequests.Get(ctx, "acme", "gitops", n)
	must(t, err)
	if pr.GetCommits() != 1 || pr.GetChangedFiles() != 3 || pr.GetAdditions() != 1 || pr.GetDeletions() != 2 {
		t.Errorf("%d commits, %d files, +%d -%d", pr.GetCommits(), pr.GetChangedFiles(), pr.GetAdditions(), pr.GetDeletions())
	}
	changes, err := w.Changes(w.repo, n)
	if err != nil || len(changes) != 3 || changes[1].Patch != files[1].GetPatch() {
		t.Errorf("%v %+v", err, changes)
	}
}
