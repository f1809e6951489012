package page_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestMerge(t *testing.T) {
	w := newWorld(t)
	number := w.pull()
	path, head := fmt.Sprintf("/acme/gitops/pull/%d", number), w.Branches(w.repo)["change/one"]

	_, body := w.send(path+"/merge", map[string]string{"method": "squash", "head": w.first})
	if !strings.Contains(body, "GitHub refused: Head branch was modified") || w.PullRequests(w.repo)[0].Merged {
		t.Errorf("merging a head that the person did not see:\n%s", mainOf(body))
	}
	status, body := w.send(path+"/merge", map[string]string{"method": "squash", "head": head})
	if status != http.StatusOK || !strings.Contains(body, "Merged.") || !strings.Contains(body, "merged this as") {
		t.Errorf("after merging: %d\n%s", status, mainOf(body))
	}
	w.harmless(path, body)
	pr := w.PullRequests(w.repo)[0]
	if !pr.Merged || pr.MergedBy != "octocat" || pr.MergeCommit != w.Branches(w.repo)["main"] {
		t.Errorf("the pull request is %+v", pr)
	}
	if log, err := w.Log(w.repo, "main"); err != nil || len(log) != 2 || len(log[0].Parents) != 1 {
		t.Errorf("main after a squash: %v, %v", log, err)
	}
	if body := w.page("/acme/gitops/commit/" + pr.MergeCommit); !strings.Contains(body, fmt.Sprintf(`href="%s"`, path)) {
		t.Error("the commit does not name the pull request that brought it")
	}
	_, _ = w.send(path+"/branch", nil)
	if w.Branches(w.repo)["change/one"] != "" {
		t.Error("the branch is still there")
	}
	if body := w.page(path); !strings.Contains(body, "web:1.4.2") || strings.Contains(body, "Delete branch") {
		t.Error("without its branch the pull request is not shown as before")
	}
}

func TestConflictIsSaid(t *testing.T) {
	w := newWorld(t)
	number := w.pull()
	_, err := w.As("octocat").Commit(w.repo, "main", map[string]string{"envs/dev/app.yaml": "image: web:9\n"}, "Other")
	must(t, err)
	path := fmt.Sprintf("/acme/gitops/pull/%d", number)
	if body := w.page(path); !strings.Contains(body, "has conflicts with main") {
		t.Error("the page does not tell of the conflict")
	}
	_, body := w.send(path+"/merge", map[string]string{"method": "merge", "head": w.Branches(w.repo)["change/one"]})
	if !strings.Contains(body, "GitHub refused: Pull Request is not mergeable") {
		t.Errorf("merging it:\n%s", mainOf(body))
	}
}

func TestCommentAndReact(t *testing.T) {
	w := newWorld(t)
	number := w.issue("Promotions", "text")
	path := fmt.Sprintf("/acme/gitops/issues/%d", number)
	status, body := w.send(path+"/comment", map[string]string{"text": "/promote prod\r\nplease, @monalisa"})
	if status != http.StatusOK || !strings.Contains(body, `<a class="mention" href="/monalisa">@monalisa</a>`) {
		t.Errorf("%d\n%s", status, mainOf(body))
	}
	got := w.Comments(w.repo, number)
	if len(got) != 1 || got[0].Author != "octocat" || got[0].Body != "/promote prod\nplease, @monalisa" {
		t.Fatalf("comments: %+v", got)
	}
	if !strings.Contains(body, fmt.Sprintf(`id="issuecomment-%d"`, got[0].ID)) {
		t.Error("links to the comment lead nowhere")
	}
	_, body = w.send(path+"/react", map[string]string{"comment": fmt.Sprint(got[0].ID), "content": "rocket"})
	if !strings.Contains(body, "🚀</span> 1") {
		t.Errorf("no reaction is shown:\n%s", mainOf(body))
	}
	status, body = w.send(path+"/comment", map[string]string{"text": "  \r\n "})
	if status != http.StatusUnprocessableEntity || !strings.Contains(body, "Write something first") || len(w.Comments(w.repo, number)) != 1 {
		t.Errorf("an empty comment: %d", status)
	}
}

func TestStateOfAnIssue(t *testing.T) {
	w := newWorld(t)
	_, body := w.send("/acme/gitops/issues", map[string]string{"title": "New " + nasty, "text": "words"})
	w.harmless("the new issue", body)
	if got := w.Issues(w.repo); len(got) != 1 || got[0].Author != "octocat" || got[0].Body != "words" {
		t.Fatalf("issues: %+v", got)
	}
	for _, state := range []string{"closed", "open"} {
		_, _ = w.send("/acme/gitops/issues/1/state", map[string]string{"state": state})
		if got := w.Issues(w.repo)[0].State; got != state {
			t.Errorf("the issue is %s, wanted %s", got, state)
		}
	}
	status, body := w.send("/acme/gitops/issues", map[string]string{"title": " ", "text": "kept words"})
	if status != http.StatusUnprocessableEntity || !strings.Contains(body, "kept words") || !strings.Contains(body, "GitHub refused: Validation Failed") {
		t.Errorf("an issue without a title: %d\n%s", status, mainOf(body))
	}
}

func TestWhoMayNotHearsWhatGitHubSays(t *testing.T) {
	w := newWorld(t)
	number := w.pull()
	head := w.Branches(w.repo)["change/one"]
	run := w.check(head, "stagecoach/dev", "success", "Landed", "Done.")
	path := fmt.Sprintf("/acme/gitops/pull/%d", number)
	_, body := w.send("/-/as", map[string]string{"as": "monalisa", "back": path})
	if !strings.Contains(body, "Comment as monalisa") || !strings.Contains(body, "monalisa has read access: GitHub will refuse") {
		t.Fatalf("after becoming monalisa:\n%s", mainOf(body))
	}
	for act, fields := range map[string]map[string]string{
		path + "/merge": {"method": "merge", "head": head},
		fmt.Sprintf("/acme/gitops/issues/%d/state", number): {"state": "closed"},
		fmt.Sprintf("/acme/gitops/runs/%d/press", run):      {"button": "abort", "back": path},
	} {
		if _, body := w.send(act, fields); !strings.Contains(body, `role="alert"`) {
			t.Errorf("%s by a reader says nothing:\n%s", act, mainOf(body))
		}
	}
	if pr := w.PullRequests(w.repo)[0]; pr.State != "open" {
		t.Errorf("a reader changed the pull request: %+v", pr)
	}
	status, body := w.send("/acme/gitops/edit/main/README.md", map[string]string{"text": "mine", "base": baseOf(w.page("/acme/gitops/edit/main/README.md"))})
	if status != http.StatusUnprocessableEntity || !strings.Contains(body, "may not push") || !strings.Contains(body, "mine</textarea>") {
		t.Errorf("an edit by a reader: %d\n%s", status, mainOf(body))
	}
}

func TestButton(t *testing.T) {
	w := newWorld(t)
	run := w.check(w.first, "stagecoach/dev", "failure", "Errored", "No key.")
	path := fmt.Sprintf("/acme/gitops/runs/%d", run)
	if _, body := w.send(path+"/press", map[string]string{"button": "abort"}); !strings.Contains(body, "The App was told") {
		t.Errorf("pressing:\n%s", mainOf(body))
	}
	if _, body := w.send(path+"/press", map[string]string{"button": "none"}); !strings.Contains(body, "shows no button") {
		t.Errorf("pressing a button that is not there:\n%s", mainOf(body))
	}
}

func TestFormsOfOthersDoNothing(t *testing.T) {
	w := newWorld(t)
	number := w.issue("Promotions", "text")
	path := fmt.Sprintf("/acme/gitops/issues/%d/comment", number)
	_ = w.page("/") // a session
	foreign := csrf.FindStringSubmatch(w.page("/"))[1]
	w.browse()
	for name, fields := range map[string]map[string]string{
		"no token": {"csrf": "", "text": "x"}, "wrong": {"csrf": "AAAA", "text": "x"}, "of another session": {"csrf": foreign, "text": "x"},
	} {
		if status, _ := w.send(path, fields); status != http.StatusForbidden {
			t.Errorf("%s: %d", name, status)
		}
	}
	if got := w.Comments(w.repo, number); len(got) != 0 {
		t.Errorf("comments: %+v", got)
	}
	for _, back := range []string{"//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"} {
		w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		token := csrf.FindStringSubmatch(w.page("/"))[1]
		answer, err := w.client.PostForm(w.server.URL+"/-/as", map[string][]string{"csrf": {token}, "as": {"octocat"}, "back": {back}})
		must(t, err)
		must(t, answer.Body.Close())
		if to := answer.Header.Get("Location"); to != "/" {
			t.Errorf("back to %q leads to %q", back, to)
		}
	}
}

func TestNobody(t *testing.T) {
	w := newWorld(t)
	empty, err := ghsim.New(ghsim.Options{Dir: t.TempDir()})
	must(t, err)
	t.Cleanup(empty.Close)
	pages := newPages(t, empty)
	answer, err := w.client.Get(pages + "/")
	if status, body := w.read(answer, err); status != http.StatusOK || !strings.Contains(body, "No repositories") {
		t.Errorf("a simulator without people: %d %s", status, body)
	}
	if got := empty.People(); len(got) != 0 {
		t.Errorf("looking made %v", got)
	}
}
