package page_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var tickVersion = regexp.MustCompile(`name="comment" value="(\d+)"><input type="hidden" name="version" value="([0-9a-f]+)"`)

// boxes finds the forms of the boxes on a page: the version of each text by its comment, "0" for the opening one.
func boxes(body string) map[string]string {
	out := map[string]string{}
	for _, m := range tickVersion.FindAllStringSubmatch(body, -1) {
		out[m[1]] = m[2]
	}
	return out
}

// A ticked box is an edit of the text by who ticks it.
func TestTickABox(t *testing.T) {
	w := newWorld(t)
	number := w.issue("Promotions", "- [ ] approve\n- [ ] retry\n\n"+nasty)
	path := fmt.Sprintf("/acme/gitops/issues/%d", number)
	body := w.page(path)
	if !strings.Contains(body, fmt.Sprintf(`<button class="task" form="tasks-%d-0" name="box" value="1"`, number)) {
		t.Fatalf("no button for the second box:\n%s", mainOf(body))
	}
	status, _ := w.send(path+"/tick", map[string]string{"comment": "0", "box": "1", "version": boxes(body)["0"]})
	got := w.Issues(w.repo)[0].Body
	if status != http.StatusOK || !strings.HasPrefix(got, "- [ ] approve\n- [x] retry\n") {
		t.Errorf("%d %q", status, got)
	}
	if _, body := w.send(path+"/tick", map[string]string{"comment": "0", "box": "0", "version": boxes(body)["0"]}); !strings.Contains(body, "has changed meanwhile") {
		t.Errorf("ticked in a text that had changed:\n%s", mainOf(body))
	}
	if status, _ := w.send(path+"/tick", map[string]string{"comment": "0", "box": "9", "version": boxes(w.page(path))["0"]}); status != http.StatusBadRequest {
		t.Errorf("a box that is not there: %d", status)
	}
	id, err := w.As("octocat").Comment(w.repo, number, "- [x] done")
	must(t, err)
	_, _ = w.send(path+"/tick", map[string]string{"comment": fmt.Sprint(id), "box": "0", "version": boxes(w.page(path))[fmt.Sprint(id)]})
	if got := w.Comments(w.repo, number)[0].Body; got != "- [ ] done" {
		t.Errorf("the comment is %q", got)
	}
}

// Who may not edit a text sees boxes and no buttons, and is refused.
func TestReadersDoNotTick(t *testing.T) {
	w := newWorld(t)
	number := w.issue("Promotions", "- [ ] approve")
	path := fmt.Sprintf("/acme/gitops/issues/%d", number)
	version := boxes(w.page(path))["0"]
	_, body := w.send("/-/as", map[string]string{"as": "monalisa", "back": path})
	if strings.Contains(body, `class="task"`) || !strings.Contains(body, `<input type="checkbox" disabled>`) {
		t.Errorf("a reader sees\n%s", mainOf(body))
	}
	if _, body := w.send(path+"/tick", map[string]string{"comment": "0", "box": "0", "version": version}); !strings.Contains(body, "GitHub refused") {
		t.Errorf("a reader ticked:\n%s", mainOf(body))
	}
	if got := w.Issues(w.repo)[0].Body; got != "- [ ] approve" {
		t.Errorf("the text is %q", got)
	}
}
