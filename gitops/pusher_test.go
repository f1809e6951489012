package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// hold stops the first push until the test lets it go.
func (s *remote) hold() (arrived <-chan struct{}, let func()) {
	in, out := make(chan struct{}), make(chan struct{})
	var first sync.Once
	s.SetFault(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "git-receive-pack") {
			first.Do(func() { close(in); <-out })
		}
		return false
	})
	return in, sync.OnceFunc(func() { close(out) })
}

// TestBranchesTravelTogether pushes fifty branches at once, as fifty stages do
// that promote from one push.
func TestBranchesTravelTogether(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	next := s.commit("main", file{path: "README.md", content: "# More\n"})
	s.Reset()
	arrived, let := s.hold()
	var wg sync.WaitGroup
	promote := func(i int) {
		ws, err := r.Workspace(t.Context(), root(next), nil)
		if err == nil {
			err = ws.WriteFile(t.Context(), "a.yaml", fmt.Appendf(nil, "a: %d\n", i), 0)
		}
		if err != nil {
			t.Error(err)
			return
		}
		c, err := r.Commit(t.Context(), ws, request(next))
		if err == nil {
			_, err = r.Push(t.Context(), gitops.PushRequest{Branch: fmt.Sprintf("stage/%d", i), Commit: c})
		}
		if err != nil {
			t.Errorf("stage %d: %v", i, err)
		}
	}
	wg.Go(func() { promote(0) })
	<-arrived
	for i := range 49 {
		wg.Go(func() { promote(i + 1) })
	}
	let()
	wg.Wait()
	if f, p := s.Fetches(), s.Pushes(); f != 1 || p > 5 {
		t.Errorf("%d fetches and %d pushes, want 1 and at most 5", f, p)
	}
	if n := s.Count("GET info/refs"); n != 1 {
		t.Errorf("the refs were asked for %d times", n)
	}
	for i := range 50 {
		if got := s.show(fmt.Sprintf("stage/%d", i), "a.yaml"); got != fmt.Sprintf("a: %d", i) {
			t.Errorf("stage %d holds %q", i, got)
		}
	}
	s.fsck()
}

// TestOneRefusedBranchFailsAlone lets a rule refuse pushes in which one branch
// is, while others travel with it.
func TestOneRefusedBranchFailsAlone(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	path := filepath.Join(s.Dir, "hooks", "pre-receive")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nif grep -q refs/heads/locked; then echo 'error: GH006: Protected branch update failed for refs/heads/locked.' >&2; exit 1; fi\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s.commit("taken", file{path: "b.yaml", content: "b: 1\n"})
	c := must[gitops.Commit](t)(r.Commit(t.Context(), edited(t, r, base, "a.yaml", "a: 1\n"), request(base)))
	var updates []gitops.RefUpdate
	for _, name := range []string{"free", "locked", "taken", "also"} {
		updates = append(updates, gitops.RefUpdate{Ref: "refs/heads/" + name, New: c.SHA, Commit: c})
	}
	s.Reset()
	errs := r.UpdateRefs(t.Context(), updates...)
	if errs[0] != nil || errs[3] != nil {
		t.Errorf("the others failed: %v", errs)
	}
	if !promotion.IsTerminal(errs[1]) || !strings.Contains(errs[1].Error(), "GH006") {
		t.Errorf("the locked one: %v", errs[1])
	}
	wantIs(t, errs[2], promotion.ErrStale)
	if s.tip("free") != c.SHA || s.tip("also") != c.SHA {
		t.Error("the others are not there")
	}
	if n := s.Pushes(); n != 5 {
		t.Errorf("%d pushes, want one for all and one for each", n)
	}
}

func TestUpdateRefs(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	next := must[gitops.Commit](t)(r.Commit(t.Context(), edited(t, r, base, "a.yaml", "a: 1\n"), request(base)))
	s.commit("old", file{path: "b.yaml", content: "b: 1\n"})
	errs := r.UpdateRefs(t.Context(),
		gitops.RefUpdate{Ref: "refs/heads/main", Old: base, New: next.SHA, Commit: next},
		gitops.RefUpdate{Ref: "refs/heads/copy", New: base},
		gitops.RefUpdate{Ref: "refs/heads/old", Old: s.tip("old")},
		gitops.RefUpdate{Ref: "main", New: base},
		gitops.RefUpdate{Ref: "refs/heads/x..y", New: base},
		gitops.RefUpdate{Ref: "refs/heads/x", New: "abc"},
		gitops.RefUpdate{Ref: "refs/heads/x", Old: "abc", New: base},
		gitops.RefUpdate{Ref: "refs/heads/x"},
	)
	for i, err := range errs {
		if want := i > 2; promotion.IsTerminal(err) != want || (err != nil) != want {
			t.Errorf("update %d: %v", i, err)
		}
	}
	if s.Pushes() != 1 {
		t.Errorf("%d pushes", s.Pushes())
	}
	want := fmt.Sprintf("%s refs/heads/copy\n%s refs/heads/main", base, next.SHA)
	if got := s.git("", "for-each-ref", "--format=%(objectname) %(refname)"); got != want {
		t.Errorf("refs\n%s, want\n%s", got, want)
	}
	// One that moved is told so at once, and sends nothing more.
	s.Reset()
	errs = r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/free", New: base}, gitops.RefUpdate{Ref: "refs/heads/main", Old: base, New: next.SHA})
	if wantIs(t, errs[1], promotion.ErrStale); errs[0] != nil || s.Pushes() != 1 {
		t.Errorf("beside one that moved: %v in %d pushes", errs[0], s.Pushes())
	}
	// One ref twice: the second stands on the first, and goes with the next push.
	s.Reset()
	twice := r.UpdateRefs(t.Context(),
		gitops.RefUpdate{Ref: "refs/heads/twice", New: base}, gitops.RefUpdate{Ref: "refs/heads/twice", Old: base, New: next.SHA, Commit: next})
	if twice[0] != nil || twice[1] != nil || s.tip("twice") != next.SHA || s.Pushes() != 2 {
		t.Errorf("one ref twice: %v in %d pushes", twice, s.Pushes())
	}
	// A deletion alone has no pack.
	if err := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/copy", Old: base})[0]; err != nil {
		t.Error(err)
	}
	wantIs(t, r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/main", Old: base, New: next.SHA})[0], promotion.ErrStale)
	s.fsck()
}

func TestPushTag(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	other := s.commit("main", file{path: "b.yaml", content: "b: 1\n"})
	r := s.open(t)
	req := gitops.TagRequest{Name: "prod/1.2.0", Target: base, Message: "Release 1.2.0", Tagger: bot, When: start}
	light := req
	light.Name, light.Message = "light", ""
	for _, req := range []gitops.TagRequest{req, light} {
		tag := must[gitops.Tag](t)(gitops.NewTag(req))
		if again := must[gitops.Tag](t)(gitops.NewTag(req)); again.SHA != tag.SHA {
			t.Error("the same request gives another tag")
		}
		for _, want := range []bool{false, true} {
			if adopted, err := r.PushTag(t.Context(), gitops.TagPush{Tag: tag}); err != nil || adopted != want {
				t.Errorf("%s: adopted %t, %v", req.Name, adopted, err)
			}
		}
		s.Reset()
		adopted, err := r.PushTag(t.Context(), gitops.TagPush{Tag: tag, Look: true})
		if err != nil || !adopted || s.Pushes() != 0 {
			t.Errorf("%s, looked for: adopted %t, %v, with %d pushes", req.Name, adopted, err, s.Pushes())
		}
		if got := s.git("", "rev-parse", req.Name+"^{commit}"); got != base {
			t.Errorf("%s is at %s", req.Name, got)
		}
		req.Target = other
		_, err = r.PushTag(t.Context(), gitops.TagPush{Tag: must[gitops.Tag](t)(gitops.NewTag(req))})
		wantIs(t, err, promotion.ErrStale)
		var moved *gitops.TagMoved
		if !errors.As(err, &moved) || moved.At != base {
			t.Errorf("error %v", err)
		}
	}
	if got := s.git("", "cat-file", "-p", "prod/1.2.0"); !strings.Contains(got, "tagger stagecoach[bot]") || !strings.HasSuffix(got, "\n\nRelease 1.2.0") {
		t.Errorf("the tag is %q", got)
	}
	for _, bad := range []gitops.TagRequest{{Name: "a b", Target: base}, {Name: "a", Target: "x"}} {
		if _, err := gitops.NewTag(bad); !promotion.IsTerminal(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	s.fsck()
}

// TestPacedPushesWait asks before each push whether it may go.
func TestPacedPushesWait(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	left := 1
	e := must[*gitops.Engine](t)(gitops.New(t.TempDir(), gitops.Options{MayPush: func(_ context.Context, id int64) error {
		if left--; left < 0 {
			return promotion.RetryAfter(17*time.Second, fmt.Errorf("repository %d has had enough", id))
		}
		return nil
	}}))
	defer e.Close()
	if errs := s.at(e).UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/a", New: base}, gitops.RefUpdate{Ref: "refs/heads/b", New: base}); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	err := s.at(e).UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/c", New: base})[0]
	if wait, ok := promotion.WaitOf(err); !ok || wait != 17*time.Second || s.Pushes() != 1 {
		t.Errorf("error %v after %d pushes", err, s.Pushes())
	}
}
