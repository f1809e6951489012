package runner

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// TestWhatWasSeenIsBelievedForAMinute: then the other repository is asked again. Who may
// read it says nothing of others, and what is old is not kept.
func TestWhatWasSeenIsBelievedForAMinute(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s := seen{now: func() time.Time { return now }, sights: map[pair]sight{}}
	own, other := promotion.Repo{ID: 1}, promotion.Repo{ID: 2, Name: "charts"}
	s.note(own, other)
	now = now.Add(time.Minute)
	if got, ok := s.get(1, 2); !ok || got.Name != "charts" {
		t.Errorf("after a minute: %+v, %v", got, ok)
	}
	for _, p := range []pair{{3, 2}, {1, 3}, {2, 1}} {
		if _, ok := s.get(p.own, p.other); ok {
			t.Errorf("%+v is believed", p)
		}
	}
	now = now.Add(time.Second)
	if _, ok := s.get(1, 2); ok {
		t.Error("it is believed for longer")
	}
	s.note(own, promotion.Repo{ID: 4})
	if len(s.sights) != 1 {
		t.Errorf("%d are kept", len(s.sights))
	}
}

// TestCheckoutsStandBesideEachOther: a git-clone takes the place of what stood at its
// paths, and leaves the rest, with what was committed there.
func TestCheckoutsStandBesideEachOther(t *testing.T) {
	home, src := promotion.Mount{Path: ".", Branch: "main", Commit: "a"}, promotion.Mount{Path: "src", Commit: "b"}
	moved, charts := promotion.Mount{Path: "src", Commit: "c"}, promotion.Mount{Path: "charts", Commit: "d", RepoID: 2}
	first := []promotion.Mount{home, src}
	if diff := cmp.Diff([]promotion.Mount{home, moved, charts}, beside(first, []promotion.Mount{moved, charts})); diff != "" {
		t.Error(diff)
	}
	if len(first) != 2 || first[1] != src {
		t.Errorf("the mounts before are %+v", first)
	}
	commit := &recipe{Path: "."}
	for name, c := range map[string]struct {
		mounts []promotion.Mount
		made   bool
	}{"another checkout": {[]promotion.Mount{home, charts}, true}, "the same path": {[]promotion.Mount{{Path: ".", Branch: "main", Commit: "e"}}, false}} {
		records := []promotion.StepRecord{record(0, nil, "", ""), record(1, commit, "c1", ""), record(0, nil, "", "")}
		records[0].Result.Mounts, records[1].Result.Mounts, records[2].Result.Mounts = first, first, c.mounts
		task := promotion.Task{Records: records, Step: &promotion.Step{Uses: "git-tag"}, Promotion: &promotion.Promotion{
			Plan: &promotion.Plan{Steps: []promotion.Step{{Uses: "git-clone"}, {Uses: "git-commit"}}},
		}}
		got, err := headOf(task, c.mounts[0])
		if err != nil || (got.made != nil) != c.made {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
