package gitops_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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
			d, err = r.Deliver(t.Context(), again, request(""), req)
			if err != nil {
				t.Fatal(err)
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

// hook makes the server refuse pushes, as GitHub words it.
func (s *remote) hook(words string) {
	s.t.Helper()
	path := filepath.Join(s.Dir, "hooks", "pre-receive")
	script := "#!/bin/sh\ncat >/dev/null\ncat >&2 <<'EOF'\n" + words + "\nEOF\nexit 1\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func TestRefusals(t *testing.T) {
	cases := []struct {
		name, words string
		terminal    bool
		permission  string
		say         []string
	}{
		{"protected", "error: GH006: Protected branch update failed for refs/heads/main.", true, "", []string{"GH006", "protected", "pull-request"}},
		{"ruleset", "error: GH013: Repository rule violations found for refs/heads/main.", true, "", []string{"GH013", "ruleset", "pull-request"}},
		{"secret", "error: GH009: Secrets detected!", true, "", []string{"GH009"}},
		{"own hook", "not on Fridays", true, "", []string{"not on Fridays"}},
		{"workflow", "refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission", false, "workflows=write", nil},
	}
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s.hook(c.words)
			_, err := r.Deliver(t.Context(), edited(t, r, base, "a.yaml", "a: 1\n"), request(""), push("main", base))
			if err == nil || promotion.IsTerminal(err) != c.terminal {
				t.Fatalf("error %v, terminal %t", err, promotion.IsTerminal(err))
			}
			var missing *promotion.MissingPermission
			if errors.As(err, &missing) != (c.permission != "") || missing != nil && missing.Needed != c.permission {
				t.Errorf("error %v", err)
			}
			for _, say := range c.say {
				if !strings.Contains(err.Error(), say) {
					t.Errorf("%q does not say %q", err, say)
				}
			}
			if s.tip("main") != base {
				t.Error("the branch moved")
			}
		})
	}
	t.Run("name in the way", func(t *testing.T) {
		if err := os.Remove(filepath.Join(s.Dir, "hooks", "pre-receive")); err != nil {
			t.Fatal(err)
		}
		_, err := r.Deliver(t.Context(), edited(t, r, base, "a.yaml", "a: 1\n"), request(base), push("main/sub", ""))
		if !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "in the way") {
			t.Errorf("error %v", err)
		}
	})
}

func TestStatusErrors(t *testing.T) {
	cases := []struct {
		name       string
		status     int
		header     http.Header
		wait       time.Duration
		permission bool
	}{
		{name: "bad token", status: 401},
		{name: "gone", status: 404},
		{name: "broken", status: 502},
		{name: "forbidden", status: 403, permission: true},
		{name: "limited", status: 429, header: http.Header{"Retry-After": {"17"}}, wait: 17 * time.Second},
		{name: "limited without a time", status: 429, wait: time.Minute},
		{name: "limited by 403", status: 403, header: http.Header{"Retry-After": {"3"}}, wait: 3 * time.Second},
		{name: "none left", status: 403, header: http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1"}}},
	}
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	ws := edited(t, r, base, "a.yaml", "a: 1\n")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s.SetFault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				for k, v := range c.header {
					w.Header()[k] = v
				}
				_, pass, _ := r.BasicAuth()
				http.Error(w, "no, "+pass, c.status)
				return true
			})
			_, fetchErr := r.Refs(t.Context())
			_, pushErr := r.Deliver(t.Context(), ws, request(""), push("main", base))
			for _, err := range []error{fetchErr, pushErr} {
				if err == nil || promotion.IsTerminal(err) || errors.Is(err, promotion.ErrStale) {
					t.Fatalf("error %v", err)
				}
				wantSecretFree(t, err)
				wait, waits := promotion.WaitOf(err)
				if want := c.wait > 0 || c.name == "none left"; waits != want || wait != c.wait {
					t.Errorf("%v: wait %v %t", err, wait, waits)
				}
				var missing *promotion.MissingPermission
				if errors.As(err, &missing) != c.permission {
					t.Errorf("%v: a missing permission: %t", err, missing != nil)
				}
			}
		})
	}
}
