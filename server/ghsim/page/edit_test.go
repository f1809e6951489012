package page_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var base = regexp.MustCompile(`name="base" value="([^"]*)"`)

// baseOf is what the form remembers of the file as editing began.
func baseOf(body string) string {
	if m := base.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

const app = "/acme/gitops/edit/main/envs/dev/app.yaml"

func TestEditIsAPush(t *testing.T) {
	w := newWorld(t)
	from := baseOf(w.page(app))
	_, body := w.send(app, map[string]string{"base": from, "text": "image: web:2\r\nreplicas: 2\r\n", "message": "Use web 2", "propose": "0"})
	if !strings.Contains(body, "image: web:2") || !strings.Contains(body, "Use web 2") {
		t.Errorf("after the commit:\n%s", mainOf(body))
	}
	text, err := w.File(w.repo, "main", "envs/dev/app.yaml")
	if err != nil || text != "image: web:2\nreplicas: 2\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	log, err := w.Log(w.repo, "main")
	must(t, err)
	if log[0].Author.Name != "octocat" || log[0].Message != "Use web 2" {
		t.Errorf("the commit is %+v", log[0])
	}

	status, body := w.send(app, map[string]string{"base": from, "text": "image: web:3\n"})
	if status != http.StatusUnprocessableEntity || !strings.Contains(body, "changed since you began to edit") || !strings.Contains(body, "web:3") {
		t.Errorf("an edit of what is no longer there: %d\n%s", status, mainOf(body))
	}
	_, _ = w.send(app, map[string]string{"base": baseOf(body), "text": "image: web:3\n"})
	if text, _ := w.File(w.repo, "main", "envs/dev/app.yaml"); text != "image: web:3\n" {
		t.Errorf("saving again leaves %q", text)
	}
	status, body = w.send(app, map[string]string{"base": baseOf(w.page(app)), "text": "image: web:3\r\n"})
	if status != http.StatusUnprocessableEntity || !strings.Contains(body, "Nothing is changed") {
		t.Errorf("an edit that changes nothing: %d", status)
	}
}

func TestEditKeepsWindowsLineEnds(t *testing.T) {
	w := newWorld(t)
	const path = "/acme/gitops/edit/main/windows.txt"
	_, _ = w.send(path, map[string]string{"base": baseOf(w.page(path)), "text": "a\r\nc\r\n"})
	if text, _ := w.File(w.repo, "main", "windows.txt"); text != "a\r\nc\r\n" {
		t.Errorf("the file holds %q", text)
	}
}

func TestProposedChange(t *testing.T) {
	w := newWorld(t)
	fields := map[string]string{"base": baseOf(w.page(app)), "text": "image: web:2\n", "message": "Use web 2\n\nFor speed.", "propose": "1", "branch": "octocat-patch-1"}
	_, body := w.send(app, fields)
	pulls := w.PullRequests(w.repo)
	if len(pulls) != 1 || pulls[0].Title != "Use web 2" || pulls[0].Body != "For speed." || pulls[0].Head != "octocat-patch-1" || !strings.Contains(body, "wants to merge") {
		t.Fatalf("pull requests: %+v\n%s", pulls, mainOf(body))
	}
	fields["base"] = baseOf(w.page(app))
	if status, body := w.send(app, fields); status != http.StatusUnprocessableEntity || !strings.Contains(body, "exists already") {
		t.Errorf("the same branch once more: %d", status)
	}
}

func TestNewFile(t *testing.T) {
	w := newWorld(t)
	const path = "/acme/gitops/new/main/.github"
	_, body := w.send(path, map[string]string{"name": ".github/stagecoach.yml", "text": "version: 1\r\n", "base": baseOf(w.page(path))})
	if text, err := w.File(w.repo, "main", ".github/stagecoach.yml"); err != nil || text != "version: 1\n" {
		t.Errorf("the file holds %q, %v\n%s", text, err, mainOf(body))
	}
	if log, _ := w.Log(w.repo, "main"); log[0].Message != "Create .github/stagecoach.yml" {
		t.Errorf("the message is %q", log[0].Message)
	}
	for _, name := range []string{"", "..", "../x", "/x", "a//b", ".git/config", "a/.GIT/b", "a\nb", "README.md", "."} {
		status, body := w.send(path, map[string]string{"name": name, "text": "kept words"})
		if status != http.StatusUnprocessableEntity || !strings.Contains(body, "kept words") {
			t.Errorf("a file called %q: %d", name, status)
		}
	}
}
