package gitops_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// edited opens a workspace on base in which one file was written.
func edited(t *testing.T, r *gitops.Repository, base, path, content string) *gitops.Workspace {
	t.Helper()
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	write(t, ws, path, content)
	return ws
}

func push(branch, old string) gitops.PushRequest {
	return gitops.PushRequest{Branch: branch, Old: old, Promotion: promotionName}
}

func TestEightPushers(t *testing.T) {
	for _, processes := range []int{1, 4} {
		t.Run(fmt.Sprintf("%d processes", processes), func(t *testing.T) {
			t.Parallel()
			s := newRemote(t)
			base := sample(s)
			engines := make([]*gitops.Engine, processes)
			for i := range engines {
				engines[i] = engine(t, t.TempDir())
			}
			var wg sync.WaitGroup
			commits := make([]string, 8)
			for i := range commits {
				r := s.at(engines[i%processes])
				ws := edited(t, r, base, fmt.Sprintf("apps/app%d.yaml", i), "replicas: 1\n")
				wg.Go(func() {
					d, err := r.Deliver(t.Context(), ws, request(""), push("main", base))
					if err != nil {
						t.Errorf("pusher %d: %v", i, err)
					}
					commits[i] = d.Pushed.Commit
				})
			}
			wg.Wait()
			s.fsck()
			log := s.git("", "log", "--format=%H", base+"..main")
			if n := strings.Count(log, "\n") + 1; n != 8 {
				t.Errorf("%d commits landed, want 8", n)
			}
			for i, c := range commits {
				if !strings.Contains(log, c) || c == "" {
					t.Errorf("commit %d (%s) was lost", i, c)
				}
				if got := s.show("main", fmt.Sprintf("apps/app%d.yaml", i)); got != "replicas: 1" {
					t.Errorf("file %d is %q", i, got)
				}
			}
		})
	}
}

func TestDeliverOnMovedBranch(t *testing.T) {
	const mine = "envs/prod/kustomization.yaml"
	cases := []struct {
		name   string
		reads  func(t *testing.T, ws *gitops.Workspace)
		theirs file
		stale  bool
	}{
		{name: "another file", theirs: file{path: "README.md", content: "# New\n"}},
		{name: "another file of the same folder", theirs: file{path: "envs/prod/more.yaml", content: "a: 1\n"}},
		{name: "the file written", theirs: file{path: mine, content: "images: []\n"}, stale: true},
		{name: "the file written is deleted", theirs: file{path: mine, remove: true}, stale: true},
		{name: "its mode", theirs: file{path: mine, mode: "100755", content: "images:\n- name: web\n  newTag: 1.0.0\n"}, stale: true},
		{name: "a folder becomes a file", theirs: file{path: "envs/prod", content: "no folder"}, stale: true},
		{
			name: "a file read", theirs: file{path: "README.md", content: "# New\n"}, stale: true,
			reads: func(t *testing.T, ws *gitops.Workspace) { must[[]byte](t)(ws.ReadFile(t.Context(), "README.md")) },
		},
		{
			name: "a file read by an earlier step", theirs: file{path: "README.md", content: "# New\n"}, stale: true,
			reads: func(t *testing.T, ws *gitops.Workspace) { ws.NoteReads("README.md") },
		},
		{
			name: "a file in a folder listed", theirs: file{path: "envs/dev/new.yaml", content: "a: 1\n"}, stale: true,
			reads: func(t *testing.T, ws *gitops.Workspace) { must[[]gitops.Entry](t)(ws.ReadDir(t.Context(), "envs/dev")) },
		},
		{
			name: "a file looked for in vain", theirs: file{path: "envs/dev/Chart.yaml", content: "a: 1\n"}, stale: true,
			reads: func(t *testing.T, ws *gitops.Workspace) {
				if _, err := ws.ReadFile(t.Context(), "envs/dev/Chart.yaml"); !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newRemote(t)
			base := sample(s)
			r := s.open(t)
			ws := edited(t, r, base, mine, "images:\n- name: web\n  newTag: 2.0.0\n")
			if c.reads != nil {
				c.reads(t, ws)
			}
			theirs := s.commit("main", c.theirs)
			d, err := r.Deliver(t.Context(), ws, request(""), push("main", base))
			if c.stale {
				wantIs(t, err, promotion.ErrStale)
				if got := s.tip("main"); got != theirs {
					t.Errorf("the branch is at %s, want theirs", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !d.Pushed.Rebased || d.Commit.Parent != theirs || s.tip("main") != d.Commit.SHA {
				t.Errorf("delivered %+v on %s", d.Pushed, d.Commit.Parent)
			}
			if got := s.git("", "diff", "--name-only", theirs, "main"); got != mine {
				t.Errorf("changed %q", got)
			}
			s.fsck()
		})
	}
}

func TestPushIsCompareAndSwap(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	ws := edited(t, r, base, "a.yaml", "a: 1\n")
	c := must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(base)))

	for name, old := range map[string]string{"made meanwhile": "", "zeros": strings.Repeat("0", 40), "elsewhere": c.SHA[:39] + "0"} {
		req := push("main", old)
		req.Commit = c
		if _, err := r.Push(t.Context(), req); !errors.Is(err, promotion.ErrStale) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if s.tip("main") != base {
		t.Errorf("the branch is at %s", s.tip("main"))
	}
	req := push("gone", base)
	req.Commit = c
	_, err := r.Push(t.Context(), req)
	wantIs(t, err, promotion.ErrStale)

	// It moves between our two requests: the server itself compares.
	var theirs string
	s.SetFault(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method == http.MethodPost && theirs == "" {
			theirs = s.commit("main", file{path: "b.yaml", content: "b: 1\n"})
		}
		return false
	})
	req = push("main", base)
	req.Commit = c
	_, err = r.Push(t.Context(), req)
	wantIs(t, err, promotion.ErrStale)
	if s.tip("main") != theirs {
		t.Error("their commit is lost")
	}
	theirs = ""
	d, err := r.Deliver(t.Context(), ws, request(""), push("main", s.tip("main")))
	if err != nil || !d.Pushed.Rebased || d.Commit.Parent != theirs {
		t.Errorf("delivered %+v, %v", d.Pushed, err)
	}
}

// TestLostAnswer cuts the connection before or after the push had its effect,
// lets others push on top, and pushes again.
func TestLostAnswer(t *testing.T) {
	cases := []struct {
		name          string
		after, others bool
		rewritten     bool // ours was put on another tip by a life before
	}{
		{name: "before the effect"},
		{name: "before the effect, others pushed", others: true},
		{name: "after the effect", after: true},
		{name: "after the effect, others pushed", after: true, others: true},
		{name: "rebased by an earlier life, others pushed", rewritten: true, others: true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newRemote(t)
			base := sample(s)
			s.SetFault(func(w http.ResponseWriter, r *http.Request, serve http.Handler) bool {
				if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "git-receive-pack") {
					return false
				}
				if c.after {
					serve.ServeHTTP(httptest.NewRecorder(), r)
				}
				gitopstest.Cut(w)
				return true
			})
			dir := t.TempDir()
			first := engine(t, dir)
			ws := edited(t, s.at(first), base, "a.yaml", "a: 1\n")
			d, err := s.at(first).Deliver(t.Context(), ws, request(""), push("main", base))
			if err == nil || promotion.IsTerminal(err) || errors.Is(err, promotion.ErrStale) {
				t.Fatalf("delivered %+v, %v: want an error that may be tried again", d, err)
			}
			wantSecretFree(t, err)
			s.SetFault(nil)
			if c.rewritten {
				other := s.commit("main", file{path: "c.yaml", content: "c: 1\n"})
				d, err := s.at(first).Deliver(t.Context(), ws, request(other), push("main", other))
				if err != nil || d.Pushed.Commit == "" {
					t.Fatal(err)
				}
			}
			if c.others {
				for i := range 3 {
					s.commit("main", file{path: fmt.Sprintf("b%d.yaml", i), content: "b: 1\n"})
				}
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}

			// Another life: the workspace is made again from what was recorded.
			r := s.at(engine(t, dir))
			again := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), ws.Changes()))
			req := push("main", base)
			req.Look = true
			s.Reset()
			d, err = r.Deliver(t.Context(), again, request(""), req)
			if err != nil {
				t.Fatal(err)
			}
			if n := s.Count("GET info/refs"); n != 1 {
				t.Errorf("it was looked for %d times", n)
			}
			if want := c.after || c.rewritten; d.Pushed.Adopted != want {
				t.Errorf("adopted %t, want %t", d.Pushed.Adopted, want)
			}
			if n := s.git("", "rev-list", "--count", "--grep", "Stagecoach-Promotion: "+promotionName, "main"); n != "1" {
				t.Errorf("%s commits of the promotion are on the branch, want 1", n)
			}
			if d.Pushed.Tip != s.tip("main") {
				t.Errorf("tip %s, want %s", d.Pushed.Tip, s.tip("main"))
			}
			s.fsck()
		})
	}
}

// TestFoundByItsHash adopts a commit below others' that no trailer names.
func TestFoundByItsHash(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	c := must[gitops.Commit](t)(r.Commit(t.Context(), edited(t, r, base, "a.yaml", "a: 1\n"), request(base)))
	req := gitops.PushRequest{Branch: "main", Old: base, Commit: c}
	must[gitops.Pushed](t)(r.Push(t.Context(), req))
	theirs := s.commit("main", file{path: "b.yaml", content: "b: 1\n"})
	req.Look = true
	if p := must[gitops.Pushed](t)(r.Push(t.Context(), req)); !p.Adopted || p.Commit != c.SHA || p.Tip != theirs {
		t.Errorf("pushed %+v", p)
	}
	req.Look = false
	_, err := r.Push(t.Context(), req)
	wantIs(t, err, promotion.ErrStale)
}

// TestLockedForAMoment has the server refuse a push because the branch was locked,
// and show it where it was.
func TestLockedForAMoment(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	ws := edited(t, r, base, "a.yaml", "a: 1\n")
	req := push("main", base)
	req.Commit = must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(base)))
	pkt := func(s string) string { return fmt.Sprintf("%04x%s", len(s)+4, s) }
	locked := 0
	s.SetFault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method == http.MethodGet || locked > 1 {
			return false
		}
		locked++
		w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
		fmt.Fprint(w, pkt("\x01"+pkt("unpack ok\n")+pkt("ng refs/heads/main failed to lock\n")+"0000")+"0000")
		return true
	})
	p, err := r.Push(t.Context(), req)
	wantIs(t, err, promotion.ErrStale)
	if p.Commit != "" || s.tip("main") != base {
		t.Errorf("pushed %+v, the branch is at %s", p, s.tip("main"))
	}
	d, err := r.Deliver(t.Context(), ws, request(""), push("main", base))
	if err != nil || locked != 2 || d.Pushed.Commit != s.tip("main") || d.Commit.Parent != base {
		t.Errorf("delivered %+v, %v after %d refusals", d.Pushed, err, locked)
	}
	s.fsck()
}

func TestMissingBranchIsMade(t *testing.T) {
	s := newRemote(t)
	sample(s)
	r := s.open(t)
	mounts := []promotion.Mount{{Path: "out", Branch: "env/prod"}}
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), mounts, nil))
	if in := must[[]gitops.Entry](t)(ws.ReadDir(t.Context(), "out")); len(in) != 0 {
		t.Errorf("the new branch holds %v", in)
	}
	write(t, ws, "out/web/app.yaml", "a: 1\n")
	req := request("")
	req.Path = "out"
	d, err := r.Deliver(t.Context(), ws, req, push("env/prod", ""))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.git("", "log", "--format=%P|%H", "env/prod"); got != "|"+d.Commit.SHA {
		t.Errorf("the branch is %q", got)
	}
	if diff := cmp.Diff([]promotion.Change{{Path: "web/app.yaml", Status: "added"}}, d.Commit.Changes); diff != "" {
		t.Error(diff)
	}
	s.fsck()

	// Another one made it meanwhile: theirs stays, ours comes on top.
	write(t, ws, "out/web/app.yaml", "a: 2\n")
	ws2 := must[*gitops.Workspace](t)(r.Workspace(t.Context(), mounts, nil))
	write(t, ws2, "out/db/app.yaml", "a: 1\n")
	d2, err := r.Deliver(t.Context(), ws2, req, push("env/prod", strings.Repeat("0", 40)))
	if err != nil || d2.Commit.Parent != d.Commit.SHA || !d2.Pushed.Rebased {
		t.Errorf("delivered %+v on %q, %v", d2.Pushed, d2.Commit.Parent, err)
	}
	_, err = r.Deliver(t.Context(), ws, req, push("env/prod", ""))
	wantIs(t, err, promotion.ErrStale)
}

func TestNothingToChange(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	ws := edited(t, r, base, "README.md", "# Other\n")
	write(t, ws, "README.md", "# GitOps\n")
	s.Reset()
	d := must[gitops.Delivered](t)(r.Deliver(t.Context(), ws, request(""), push("main", base)))
	if !d.Commit.Empty || d.Commit.SHA != "" || d.Pushed.Tip != base {
		t.Errorf("delivered %+v", d)
	}
	s.wantCounts(0, 0)
}

// A branch to which a pull request shall go is made empty, once.
func TestBegin(t *testing.T) {
	s := newRemote(t)
	sample(s)
	r := s.open(t)
	req := request("")
	for range 2 {
		sha, err := r.Begin(t.Context(), "env/prod", req)
		if err != nil || sha != s.tip("env/prod") || s.git("", "ls-tree", "-r", sha) != "" || s.git("", "log", "--format=%P", sha) != "" {
			t.Errorf("%s: %v", sha, err)
		}
	}
	req.Message = "of another promotion"
	if _, err := r.Begin(t.Context(), "env/prod", req); !errors.Is(err, promotion.ErrStale) {
		t.Errorf("the branch is there: %v", err)
	}
	s.fsck()
}
