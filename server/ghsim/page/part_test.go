package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestParsePatch(t *testing.T) {
	got := parsePatch("@@ -3,3 +3,3 @@ func x\n a\n-b\r\n+c\n d\n\\ No newline at end of file\n@@ -9 +9,2 @@\n e\n+")
	want := []diffLine{
		{Kind: "hunk", Text: "@@ -3,3 +3,3 @@ func x"}, {Kind: "same", Old: 3, New: 3, Text: "a"}, {Kind: "minus", Old: 4, Text: "b"},
		{Kind: "plus", New: 4, Text: "c"}, {Kind: "same", Old: 5, New: 5, Text: "d"}, {Kind: "note", Text: " No newline at end of file"},
		{Kind: "hunk", Text: "@@ -9 +9,2 @@"}, {Kind: "same", Old: 9, New: 9, Text: "e"}, {Kind: "plus", New: 10},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLongDiffIsCut(t *testing.T) {
	patch := "@@ -0,0 +1,2000 @@"
	for range 2000 {
		patch += "\n+x"
	}
	d := newDiff([]ghsim.FileChange{{Path: "a", Patch: patch, Additions: 2000}}, ghsim.Repo{}, "")
	if f := d.Files[0]; len(f.Lines) != maxDiffLines || f.More != 2001-maxDiffLines || d.Additions != 2000 {
		t.Errorf("%d lines are shown, %d more, %d added", len(f.Lines), f.More, d.Additions)
	}
}

func TestSplitMessage(t *testing.T) {
	for _, c := range []struct {
		message, body string
		trailers      []trailer
	}{
		{"Subject", "", nil},
		{"Subject\n\nBody: with colon\nbut not all", "Body: with colon\nbut not all", nil},
		{"Subject\n\nBody\n\nStagecoach-Stage: prod\nReviewed-By: octocat", "Body", []trailer{{"Stagecoach-Stage", "prod"}, {"Reviewed-By", "octocat"}}},
		{"Subject\n\nStagecoach-Stage: prod\n", "", []trailer{{"Stagecoach-Stage", "prod"}}},
	} {
		body, trailers := splitMessage(c.message)
		if body != c.body {
			t.Errorf("%q: body %q", c.message, body)
		}
		if diff := cmp.Diff(c.trailers, trailers); diff != "" {
			t.Errorf("%q: %s", c.message, diff)
		}
	}
}

func TestSumOfChecks(t *testing.T) {
	run := func(name, status, conclusion string, id int64) ghsim.CheckRun {
		return ghsim.CheckRun{ID: id, Name: name, Status: status, Conclusion: conclusion, HeadSHA: "a"}
	}
	for _, c := range []struct {
		name string
		runs []ghsim.CheckRun
		want checkSum
	}{
		{"none", nil, checkSum{}},
		{"all fine", []ghsim.CheckRun{run("x", "completed", "success", 1), run("y", "completed", "skipped", 2)}, checkSum{"good", 2, 2}},
		{"one runs", []ghsim.CheckRun{run("x", "completed", "success", 1), run("y", "in_progress", "", 2)}, checkSum{"busy", 2, 1}},
		{"one failed", []ghsim.CheckRun{run("x", "completed", "failure", 1), run("y", "in_progress", "", 2)}, checkSum{"bad", 2, 0}},
		{"tried again", []ghsim.CheckRun{run("x", "completed", "failure", 1), run("x", "completed", "success", 2)}, checkSum{"good", 1, 1}},
		{"somebody must act", []ghsim.CheckRun{run("x", "completed", "action_required", 1)}, checkSum{"act", 1, 0}},
	} {
		var checks []check
		for _, r := range newest(c.runs) {
			m := marks[r.Status]
			if r.Conclusion != "" {
				m = marks[r.Conclusion]
			}
			checks = append(checks, check{CheckRun: r, Mark: m[0]})
		}
		if got := sumUp(checks); got != c.want {
			t.Errorf("%s: %+v, wanted %+v", c.name, got, c.want)
		}
	}
}
