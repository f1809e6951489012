package gitops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
)

func TestHistory(t *testing.T) {
	s := newRemote(t)
	shas := []string{sample(s)}
	for i := range 30 {
		shas = append(shas, s.commit("main", file{path: "a.yaml", content: fmt.Sprint(i)}))
	}
	tip := shas[30]
	r := s.open(t)
	cases := []struct {
		until string
		limit int
		want  int
	}{
		{"", 5, 5}, {shas[28], 100, 2}, {shas[5], 100, 25}, {"", 100, 31}, {tip, 10, 0}, {"", 0, 0},
	}
	for _, c := range cases {
		list := must[[]gitops.CommitInfo](t)(r.History(t.Context(), tip, c.until, c.limit))
		if len(list) != c.want {
			t.Errorf("until %q, limit %d: %d commits, want %d", c.until, c.limit, len(list), c.want)
		}
		for i, info := range list {
			if info.SHA != shas[30-i] || info.Message != "change" || info.Author.Name != "octocat" || info.When.Unix() != 1700000000 {
				t.Errorf("commit %d is %+v", i, info)
			}
		}
	}
	s.Reset()
	must[[]gitops.CommitInfo](t)(r.History(t.Context(), tip, "", 100))
	s.wantCounts(0, 0)
}

// TestNearHistoryIsCheap looks at the newest commits of a long history.
func TestNearHistoryIsCheap(t *testing.T) {
	s := newRemote(t)
	var in strings.Builder
	for i := range 500 {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter octocat <octocat@example.com> %d +0000\ndata 40\n%040d\n", 1_700_000_000+i, i)
	}
	s.git(in.String(), "fast-import", "--quiet")
	s.Reset()
	if list := must[[]gitops.CommitInfo](t)(s.open(t).History(t.Context(), s.tip("main"), "", 5)); len(list) != 5 {
		t.Errorf("%d commits", len(list))
	}
	if s.wantCounts(1, 0); s.Bytes() > 10_000 {
		t.Errorf("%d bytes came", s.Bytes())
	}
}

// TestHistoryFollowsMerges finds what a merge brought in.
func TestHistoryFollowsMerges(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	side := s.git("", "commit-tree", "-p", base, "-m", "side", base+"^{tree}")
	merge := s.git("", "commit-tree", "-p", base, "-p", side, "-m", "merge", base+"^{tree}")
	s.git("", "update-ref", "refs/heads/main", merge)
	var subjects []string
	for _, info := range must[[]gitops.CommitInfo](t)(s.open(t).History(t.Context(), merge, base, 10)) {
		subjects = append(subjects, strings.TrimSpace(info.Message))
	}
	if diff := cmp.Diff([]string{"merge", "side"}, subjects); diff != "" {
		t.Error(diff)
	}
}

func TestChangedPaths(t *testing.T) {
	s := newRemote(t)
	a := odd(s)
	b := s.commit("main",
		file{path: "a/file.yaml", content: "new"},
		file{path: "a/run.sh", content: "#!/bin/sh\n"}, // its mode
		file{path: "deep", remove: true}, file{path: "deep", content: "a file now"},
		file{path: "folder", remove: true}, file{path: "folder/x", content: "a folder now"},
		file{path: "vendor/lib", content: strings.Repeat("2", 40), mode: "160000"},
		file{path: "z/y/x", content: "new"},
	)
	want := strings.Split(s.git("", "-c", "core.quotePath=false", "diff", "--no-renames", "--name-only", a, b), "\n")
	r := s.open(t)
	if diff := cmp.Diff(want, must[[]string](t)(r.ChangedPaths(t.Context(), a, b))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, must[[]string](t)(r.ChangedPaths(t.Context(), b, a))); diff != "" {
		t.Error(diff)
	}
	if got := must[[]string](t)(r.ChangedPaths(t.Context(), a, a)); len(got) != 0 {
		t.Errorf("a commit differs from itself in %v", got)
	}
	all := len(strings.Split(s.git("", "ls-tree", "-r", "--name-only", a), "\n"))
	if got := must[[]string](t)(r.ChangedPaths(t.Context(), "", a)); len(got) != all {
		t.Errorf("%d files against nothing, want %d", len(got), all)
	}
}
