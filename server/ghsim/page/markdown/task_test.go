package markdown_test

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim/page/markdown"
)

func TestTick(t *testing.T) {
	const text = "Text\n\n- [ ] one\n- [x] **two**\n  1. [X] three\n\n> * [ ] four\r\n\n```\n- [ ] code\n```\n\n- not [ ] either\n"
	for _, c := range []struct {
		n        int
		from, to string
	}{
		{0, "- [ ] one", "- [x] one"}, {1, "- [x] **two**", "- [ ] **two**"}, {2, "1. [X] three", "1. [ ] three"}, {3, "* [ ] four", "* [x] four"},
		{4, "", ""}, {-1, "", ""},
	} {
		got, ok := markdown.Tick(text, c.n)
		if ok != (c.from != "") || got != strings.Replace(text, c.from, c.to, 1) {
			t.Errorf("box %d: %v %q", c.n, ok, got)
		}
	}
}

// The boxes of task lists become buttons, numbered as Tick counts them; boxes that a text spells out itself do not.
func TestTaskForm(t *testing.T) {
	at := place()
	at.TaskForm = `tasks-1"><script>`
	got := string(markdown.Comment("<input type=\"checkbox\"> raw\n\n- [x] a #1\n- [ ] b\n", at))
	for _, want := range []string{
		`<input type="checkbox" disabled> raw`, `form="tasks-1&#34;&gt;&lt;script&gt;" name="box" value="0" role="checkbox" aria-checked="true"`,
		`name="box" value="1" role="checkbox" aria-checked="false"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if strings.Count(got, "<button") != 2 || strings.Contains(got, "<script") {
		t.Errorf("%s", got)
	}
	at.TaskForm = ""
	if got := string(markdown.Comment("- [x] a", at)); strings.Contains(got, "<button") || !strings.Contains(got, "disabled checked> a") {
		t.Errorf("without a form: %s", got)
	}
}
