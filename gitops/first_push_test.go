package gitops_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// wantsGet makes the server take a push only right after it was asked for its refs,
// as git asks; others are answered in a way of their own.
func (s *remote) wantsGet(refuse func(w http.ResponseWriter, r *http.Request, serve http.Handler)) {
	asked := false
	s.SetFault(func(w http.ResponseWriter, r *http.Request, serve http.Handler) bool {
		switch {
		case strings.HasSuffix(r.URL.Path, "info/refs"):
			asked = true
		case strings.HasSuffix(r.URL.Path, "git-receive-pack") && !asked:
			refuse(w, r, serve)
			return true
		case strings.HasSuffix(r.URL.Path, "git-receive-pack"):
			asked = false
		}
		return false
	})
}

// TestServersThatWantToBeAskedFirst pushes to servers that refuse a push alone, in
// several ways, and to one that does not.
func TestServersThatWantToBeAskedFirst(t *testing.T) {
	say := func(status int, text string) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { http.Error(w, text+" "+token, status) }
	}
	for name, refuse := range map[string]func(http.ResponseWriter, *http.Request, http.Handler){
		"takes it": nil,
		"400":      say(http.StatusBadRequest, "no session"),
		"401":      say(http.StatusUnauthorized, "who are you?"),
		"403":      say(http.StatusForbidden, "not like this"),
		"500":      say(http.StatusInternalServerError, "oops"),
		"a page":   say(http.StatusOK, "<html>"),
		"a page after the effect": func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
			serve.ServeHTTP(httptest.NewRecorder(), r)
			_, _ = io.WriteString(w, "<html>")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRemote(t)
			base := sample(s)
			r := s.open(t)
			must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
			if refuse != nil {
				s.wantsGet(refuse)
			}
			// The first push asks anyway; the second finds out; the third knows.
			wantGets, wantPosts := []int{1, 1, 1}, []int{1, 2, 1}
			switch name {
			case "takes it":
				wantGets, wantPosts = []int{1, 0, 0}, []int{1, 1, 1}
			case "a page after the effect":
				wantPosts[1] = 1
			}
			for i := range 3 {
				s.Reset()
				branch := fmt.Sprintf("b%d", i)
				d, err := r.Deliver(t.Context(), edited(t, r, base, "a.yaml", fmt.Sprintf("a: %d\n", i)), request(base), push(branch, ""))
				if err != nil || s.tip(branch) != d.Pushed.Commit {
					t.Fatalf("push %d: %+v, %v", i, d, err)
				}
				if gets, posts := s.Count("GET info/refs"), s.Pushes(); gets != wantGets[i] || posts != wantPosts[i] {
					t.Errorf("push %d: %d requests for the refs and %d pushes, want %d and %d", i, gets, posts, wantGets[i], wantPosts[i])
				}
			}
			s.fsck()
		})
	}
}

// TestOddAnswersEnd has a server that takes no push at all: it is asked once, and
// the error is what it said.
func TestOddAnswersEnd(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	if err := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/a", New: base})[0]; err != nil {
		t.Fatal(err)
	}
	s.SetFault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method == http.MethodPost {
			http.Error(w, "down for repairs "+token, http.StatusServiceUnavailable)
		}
		return r.Method == http.MethodPost
	})
	s.Reset()
	errs := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/b", New: base})
	if errs[0] == nil || promotion.IsTerminal(errs[0]) || !strings.Contains(errs[0].Error(), "down for repairs") {
		t.Errorf("error %v", errs[0])
	}
	wantSecretFree(t, errs[0])
	if s.Count("GET info/refs") != 1 || s.Pushes() != 2 {
		t.Errorf("%d requests for the refs and %d pushes", s.Count("GET info/refs"), s.Pushes())
	}
	s.SetFault(nil)
	if err := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/b", New: base})[0]; err != nil {
		t.Error(err)
	}
}

// TestABranchOfSeveralHadItsEffect has one of two branches move although the answer
// is none of git's: the other alone is sent again.
func TestABranchOfSeveralHadItsEffect(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	if err := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/a", New: base})[0]; err != nil {
		t.Fatal(err)
	}
	s.wantsGet(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		s.git("", "update-ref", "refs/heads/b", base)
		http.Error(w, "lost the rest", http.StatusBadGateway)
	})
	errs := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/b", New: base}, gitops.RefUpdate{Ref: "refs/heads/c", New: base})
	if errs[0] != nil || errs[1] != nil {
		t.Errorf("errors %v", errs)
	}
	if got := s.git("", "for-each-ref", "--format=%(refname:short)"); got != "a\nb\nc\nmain" {
		t.Errorf("branches %q", got)
	}
}

// TestACutPushMakesUsAsk: what a server can may have changed while it did not answer.
func TestACutPushMakesUsAsk(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	asked := func(name string) int {
		s.Reset()
		if err := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/" + name, New: base})[0]; err != nil {
			t.Error(err)
		}
		return s.Count("GET info/refs")
	}
	first, second := asked("a"), asked("b")
	s.SetFault(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool { gitopstest.Cut(w); return true })
	if err := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/c", New: base})[0]; err == nil {
		t.Error("a push without an answer succeeded")
	}
	s.SetFault(nil)
	if third, fourth := asked("c"), asked("d"); first != 1 || second != 0 || third != 1 || fourth != 0 {
		t.Errorf("the refs were asked for %d, %d, and after the cut %d, %d times", first, second, third, fourth)
	}
}
