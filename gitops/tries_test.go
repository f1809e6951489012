package gitops_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// TestTriesAreBounded has others push each time before we do: after as many tries as the
// request allows it ends in words, and nothing of ours is on the branch.
func TestTriesAreBounded(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	ws := edited(t, r, base, "a.yaml", "a: 1\n")
	if err := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/warm", New: base})[0]; err != nil {
		t.Fatal(err)
	}
	others := 0
	s.SetFault(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "git-receive-pack") {
			others++
			s.commit("main", file{path: "theirs.yaml", content: fmt.Sprintf("n: %d\n", others)})
		}
		return false
	})
	s.Reset()
	p := push("main", base)
	p.Tries = 3
	_, err := r.Deliver(t.Context(), ws, request(base), p)
	if err == nil || promotion.IsTerminal(err) || !strings.Contains(err.Error(), "the branch moved 3 times in a row") {
		t.Errorf("error %v", err)
	}
	if s.Pushes() != 3 || others != 3 {
		t.Errorf("%d pushes, and %d of others", s.Pushes(), others)
	}
	if got := s.git("", "log", "--format=%s", base+"..main"); got != "change\nchange\nchange" {
		t.Errorf("the branch holds %q", got)
	}
}

// TestFirstUpdateIsCompareAndSwap: the first push asks for the refs, and takes a branch
// that somebody else has brought to the same commit for one that moved.
func TestFirstUpdateIsCompareAndSwap(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	next := s.commit("main", file{path: "a.yaml", content: "a: 1\n"})
	s.git("", "update-ref", "refs/heads/b", next)
	for i, r := range []*gitops.Repository{s.open(t), s.open(t)} {
		old := base
		if i == 1 {
			old = ""
		}
		wantIs(t, r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/b", Old: old, New: next})[0], promotion.ErrStale)
	}
}
