package store

import (
	"context"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestWatchers(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	put := func(id int64, watches ...string) {
		t.Helper()
		if err := s.PutRepo(ctx, Entry{Repo: promotion.Repo{ID: id}, HasPipeline: true, Watches: watches}); err != nil {
			t.Fatal(err)
		}
	}
	ids := func(key string) (out []int64) {
		for _, e := range s.Watching(ctx, key) {
			out = append(out, e.Repo.ID)
		}
		return out
	}
	if s.AnyWatched() {
		t.Error("a new store watches something")
	}
	put(2, "git:acme/app", "oci:ghcr.io/acme/web")
	put(1, "git:acme/app")
	if got := ids("git:acme/app"); len(got) != 2 || got[0] != 1 || got[1] != 2 {
		t.Errorf("acme/app is watched by %v", got)
	}
	put(2, "oci:ghcr.io/acme/web")
	if err := s.DeleteRepo(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if got := ids("git:acme/app"); len(got) != 0 {
		t.Errorf("acme/app is still watched by %v", got)
	}
	if got := ids("oci:ghcr.io/acme/web"); len(got) != 1 {
		t.Errorf("the image is watched by %v", got)
	}
	put(2)
	if s.AnyWatched() {
		t.Error("nothing is watched any more, and it says otherwise")
	}
}
