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

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestRefs(t *testing.T) {
	s := newRemote(t)
	r := s.open(t)
	if refs := must[gitops.Refs](t)(r.Refs(t.Context())); len(refs.Heads)+len(refs.Tags) != 0 {
		t.Errorf("an empty repository has %v", refs)
	}
	base := sample(s)
	s.git("", "branch", "env/prod", base)
	s.git("", "tag", "v1", base)
	s.git("", "tag", "-a", "-m", "two", "v2", base)
	s.git("", "update-ref", "refs/pull/1/head", base)
	s.Reset()
	want := gitops.Refs{
		Default: "main",
		Heads:   map[string]string{"main": base, "env/prod": base},
		Tags:    map[string]string{"v1": base, "v2": base},
	}
	if diff := cmp.Diff(want, must[gitops.Refs](t)(r.Refs(t.Context()))); diff != "" {
		t.Error(diff)
	}
	s.wantCounts(0, 0)
}

// TestServers reads and promotes on servers that can less, and finds commits
// that are no branch's tip any more.
func TestServers(t *testing.T) {
	for _, options := range [][]string{
		{"uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true"},
		{"uploadpack.allowFilter=true", "uploadpack.allowReachableSHA1InWant=true"},
		{"uploadpack.allowFilter=true"},
		{"uploadpack.allowAnySHA1InWant=true"},
		{"uploadpack.allowFilter=false"},
	} {
		t.Run(strings.Join(options, " "), func(t *testing.T) {
			t.Parallel()
			s := newRemote(t, options...)
			first := sample(s)
			second := s.commit("main", file{path: "envs/dev/kustomization.yaml", content: "images: []\n"})
			r := s.open(t)
			for _, commit := range []string{second, first} {
				ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(commit), nil))
				for _, name := range []string{"envs/dev/kustomization.yaml", "README.md"} {
					if got := must[[]byte](t)(ws.ReadFile(t.Context(), name)); string(got) != s.show(commit, name)+"\n" {
						t.Errorf("%s is %q", name, got)
					}
				}
			}
			third := s.commit("main", file{path: "envs/dev/kustomization.yaml", content: "images: [{name: a}]\n"})
			s.Reset()
			ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(third), nil))
			for _, name := range []string{"envs/dev/kustomization.yaml", "envs/prod/kustomization.yaml"} {
				if got := must[[]byte](t)(ws.ReadFile(t.Context(), name)); string(got) != s.show(third, name)+"\n" {
					t.Errorf("%s is %q", name, got)
				}
			}
			s.wantCounts(1, 0)
			write(t, ws, "a.yaml", "a: 1\n")
			if d, err := r.Deliver(t.Context(), ws, request(""), push("main", third)); err != nil || s.tip("main") != d.Commit.SHA {
				t.Error(err)
			}
			if list := must[[]gitops.CommitInfo](t)(r.History(t.Context(), s.tip("main"), first, 10)); len(list) != 3 {
				t.Errorf("%d commits, want 3", len(list))
			}
		})
	}
}

// large makes a repository that is not fetched whole: 100 folders of 3 files.
func large(s *remote) string {
	var files []file
	for i := range 100 {
		for j := range 3 {
			files = append(files, file{
				path:    fmt.Sprintf("teams/t%02d/app/f%d.yaml", i, j),
				content: fmt.Sprintf("team: %d\nfile: %d\n%s", i, j, strings.Repeat("key: value that takes room\n", 20)),
			})
		}
	}
	return s.commit("main", files...)
}

func TestLargeRepositoryIsReadAsNeeded(t *testing.T) {
	s := newRemote(t)
	base := large(s)
	s.Reset()
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	const name = "teams/t07/app/f1.yaml"
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), name)); string(got) != s.show(base, name)+"\n" {
		t.Errorf("%s is %q", name, got)
	}
	whole := s.git("", "cat-file", "--batch-check=%(objectsize:disk)", "--batch-all-objects")
	if n := s.Fetches(); n > 6 { // the commit, then one for each part of the path
		t.Errorf("%d fetches", n)
	}
	if total := sum(whole); s.Bytes() > int64(total)/4 {
		t.Errorf("%d bytes came, of %d", s.Bytes(), total)
	}

	// Files of many folders come with one request a level.
	s.Reset()
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("teams/t%02d/app/f2.yaml", i+20))
	}
	files := must[map[string]gitops.File](t)(r.ReadFiles(t.Context(), base, names...))
	if len(files) != 20 || s.Fetches() != 3 {
		t.Errorf("%d files with %d fetches, want 20 with 3", len(files), s.Fetches())
	}

	// What changed comes with one request, whether it was read before or not.
	next := s.commit("main",
		file{path: name, content: s.show(base, name) + "\nmore: 1\n"},
		file{path: "teams/t99/app/f0.yaml", content: s.show(base, "teams/t99/app/f0.yaml") + "\nmore: 1\n"})
	s.Reset()
	ws = must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(next), nil))
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), name)); !strings.HasSuffix(string(got), "more: 1\n") {
		t.Errorf("%s is %q", name, got)
	}
	s.wantCounts(1, 0)
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), "teams/t99/app/f0.yaml")); !strings.HasSuffix(string(got), "more: 1\n") {
		t.Errorf("the other file is %q", got)
	}
}

// TestOneFetchForManyReaders reads one file that is not here, many times at once.
func TestOneFetchForManyReaders(t *testing.T) {
	s := newRemote(t)
	base := large(s)
	r := s.open(t)
	const name = "teams/t50/app/f1.yaml"
	must[map[string]gitops.File](t)(r.ReadFiles(t.Context(), base, "teams/t50/app/f0.yaml"))
	s.Reset()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if files, err := r.ReadFiles(t.Context(), base, name); err != nil || len(files) != 1 {
				t.Errorf("read %v, %v", files, err)
			}
		})
	}
	wg.Wait()
	s.wantCounts(1, 0)
}

// TestReadersShareFetches reads files of twenty folders at once, each by itself.
func TestReadersShareFetches(t *testing.T) {
	s := newRemote(t)
	base := large(s)
	r := s.open(t)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	s.Reset()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			name := fmt.Sprintf("teams/t%02d/app/f1.yaml", i+30)
			if files, err := r.ReadFiles(t.Context(), base, name); err != nil || len(files) != 1 {
				t.Errorf("read %v, %v", files, err)
			}
		})
	}
	wg.Wait()
	if n := s.Fetches(); n > 20 { // three levels each: sixty, if each asked for itself
		t.Errorf("%d fetches", n)
	}
}

func sum(lines string) (n int) {
	for line := range strings.Lines(lines) {
		var size int
		_, _ = fmt.Sscan(line, &size)
		n += size
	}
	return n
}

func TestOneFetchForManyWaiters(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	next := s.commit("main", file{path: "a.yaml", content: "a: 1\n"})
	s.Reset()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			ws, err := r.Workspace(t.Context(), root(next), nil)
			if err == nil {
				_, err = ws.ReadFile(t.Context(), "a.yaml")
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s.wantCounts(1, 0)
}

// TestCloneIsGit opens the clone with git, and holds it against damage.
func TestCloneIsGit(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	dir := t.TempDir()
	clone := filepath.Join(dir, "7.git")
	e := engine(t, dir)
	must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
	next := s.commit("main", file{path: "a.yaml", content: "a: 1\n"})
	must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(next), nil))
	if out := must[string](t)(gitopstest.Git(clone, "", "fsck", "--full")); out != "" {
		t.Errorf("fsck says %q", out)
	}
	if got := must[string](t)(gitopstest.Git(clone, "", "rev-parse", "main")); got != next {
		t.Errorf("main is %s in the clone, want %s", got, next)
	}
	before := tree(t, clone)

	r := s.at(e)
	d, err := r.Deliver(t.Context(), edited(t, r, next, "b.yaml", "b: 1\n"), request(""), push("main", next))
	if err != nil || d.Pushed.Commit == "" {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, clone)); diff != "" {
		t.Errorf("the promotion wrote into the clone: %s", diff)
	}
}

// tree lists the files of a folder with their sizes.
func tree(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			out[path] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDamageIsHealed(t *testing.T) {
	damages := map[string]func(t *testing.T, path string){
		"pack truncated":  func(t *testing.T, path string) { resize(t, path+".pack", 40) },
		"pack emptied":    func(t *testing.T, path string) { resize(t, path+".pack", 0) },
		"pack removed":    func(t *testing.T, path string) { remove(t, path+".pack") },
		"index truncated": func(t *testing.T, path string) { resize(t, path+".idx", 100) },
		"index removed":   func(t *testing.T, path string) { remove(t, path+".idx") },
		"bytes flipped": func(t *testing.T, path string) {
			data := must[[]byte](t)(os.ReadFile(path + ".pack"))
			for i := 12; i < len(data); i += 7 {
				data[i] ^= 0x55
			}
			if err := os.Chmod(path+".pack", 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+".pack", data, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	}
	s := newRemote(t)
	base := s.commit("main", file{path: "README.md", content: "# GitOps\n"}, file{path: "envs/run.sh", content: "echo\n"})
	for name, damage := range damages {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, running %t", name, running), func(t *testing.T) {
				dir := t.TempDir()
				e := must[*gitops.Engine](t)(gitops.New(dir, gitops.Options{Memory: 1})) // nothing is kept in memory
				must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
				if !running {
					e.Close()
					e = engine(t, dir)
				}
				defer e.Close()
				packs := must[[]string](t)(filepath.Glob(filepath.Join(dir, "7.git/objects/pack/*.pack")))
				for _, p := range packs {
					damage(t, strings.TrimSuffix(p, ".pack"))
				}
				for range 2 {
					ws := must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
					if got := must[[]byte](t)(ws.ReadFile(t.Context(), "README.md")); string(got) != "# GitOps\n" {
						t.Errorf("README.md is %q", got)
					}
				}
				e.Close()
				e = engine(t, dir)
				ws := must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
				must[[]byte](t)(ws.ReadFile(t.Context(), "envs/run.sh"))
				if out := must[string](t)(gitopstest.Git(filepath.Join(dir, "7.git"), "", "fsck", "--full")); out != "" {
					t.Errorf("fsck says %q", out)
				}
			})
		}
	}
}

func resize(t *testing.T, path string, n int64) {
	t.Helper()
	if err := os.Truncate(path, n); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestCancel ends the context while a server hangs: before its answer, or in
// the midst of it.
func TestCancel(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, midst := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s midst %t", method, midst), func(t *testing.T) {
				s := newRemote(t)
				base := sample(s)
				r := s.open(t)
				ctx, cancel := context.WithCancel(t.Context())
				free := make(chan struct{})
				defer close(free)
				s.SetFault(func(w http.ResponseWriter, q *http.Request, _ http.Handler) bool {
					if q.Method != method {
						return false
					}
					if midst {
						service := "git-upload-pack"
						kind := "result"
						if method == http.MethodGet {
							kind = "advertisement"
						}
						w.Header().Set("Content-Type", "application/x-"+service+"-"+kind)
						fmt.Fprint(w, "001e# service=git-upload-pack\n0000")
						_ = http.NewResponseController(w).Flush()
					}
					cancel()
					<-free
					return true
				})
				begin := time.Now()
				var err error
				if method == http.MethodGet {
					_, err = r.Refs(ctx)
				} else {
					err = r.Fetch(ctx, []string{base})
				}
				wantIs(t, err, context.Canceled)
				if took := time.Since(begin); took > 5*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		}
	}
}

func TestTimeout(t *testing.T) {
	s := newRemote(t)
	e := must[*gitops.Engine](t)(gitops.New(t.TempDir(), gitops.Options{Timeout: 20 * time.Millisecond}))
	defer e.Close()
	free := make(chan struct{})
	defer close(free)
	s.SetFault(func(http.ResponseWriter, *http.Request, http.Handler) bool { <-free; return true })
	_, err := s.at(e).Refs(t.Context())
	if err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("error %v", err)
	}
}

func TestCutFetch(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	n := 0
	s.SetFault(func(w http.ResponseWriter, q *http.Request, serve http.Handler) bool {
		if n++; q.Method != http.MethodPost || n > 1 {
			return false
		}
		gitopstest.Cut(w)
		return true
	})
	if err := r.Fetch(t.Context(), []string{base}); err == nil || promotion.IsTerminal(err) {
		t.Errorf("error %v", err)
	}
	if err := r.Fetch(t.Context(), []string{base}); err != nil {
		t.Error(err)
	}
}

func TestRenamedRepository(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	e := engine(t, t.TempDir())
	must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
	old := strings.Replace(s.URL, "gitops.git", "old-name.git", 1)
	s.SetFault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !strings.Contains(r.URL.Path, "old-name") {
			return false
		}
		to := strings.Replace(r.URL.String(), "old-name.git", "gitops.git", 1)
		http.Redirect(w, r, to, http.StatusMovedPermanently)
		return true
	})
	s.Reset()
	r := e.Repository(7, old, auth)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	s.wantCounts(0, 0)
	next := s.commit("main", file{path: "a.yaml", content: "a: 1\n"})
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(next), nil))
	write(t, ws, "b.yaml", "b: 1\n")
	if _, err := r.Deliver(t.Context(), ws, request(""), push("main", next)); err != nil {
		t.Error(err)
	}

	s.SetFault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		http.Redirect(w, r, "http://elsewhere.example"+r.URL.String(), http.StatusFound)
		return true
	})
	if _, err := s.open(t).Refs(t.Context()); err == nil || !strings.Contains(err.Error(), "not followed") {
		t.Errorf("error %v", err)
	}
}

func TestWrongInput(t *testing.T) {
	s := newRemote(t)
	sample(s)
	e := engine(t, t.TempDir())
	for _, url := range []string{"", "git@github.com:acme/gitops.git", "file:///etc", "http://x-access-token:" + token + "@\x7f/"} {
		_, err := e.Repository(8, url, auth).Refs(t.Context())
		if err == nil {
			t.Errorf("%q is taken for a URL", url)
		}
		wantSecretFree(t, err)
	}
	r := s.at(e)
	if err := r.Fetch(t.Context(), []string{"main"}); !promotion.IsTerminal(err) {
		t.Errorf("error %v", err)
	}
	none := strings.Repeat("1", 40)
	if err := r.Fetch(t.Context(), []string{none}); err == nil || !strings.Contains(err.Error(), none) {
		t.Errorf("error %v", err)
	}
	failing := func(context.Context) (string, error) {
		return "", promotion.RetryAfter(time.Minute, errors.New("no token"))
	}
	_, err := e.Repository(7, s.URL, failing).Refs(t.Context())
	if wait, _ := promotion.WaitOf(err); wait != time.Minute {
		t.Errorf("error %v", err)
	}
	if _, err := e.Repository(7, s.URL, nil).Refs(t.Context()); err == nil {
		t.Error("no token is taken for one")
	}
	e.Close()
	_, err = r.ReadFiles(t.Context(), none, "README.md")
	wantIs(t, err, gitops.ErrClosed)
}

// TestCountsAndSecrets: what costs is told, and the token is nowhere on disk.
func TestCountsAndSecrets(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	var mu sync.Mutex
	counted := map[string]int{}
	count := func(what string) func(context.Context, int64) {
		return func(_ context.Context, id int64) {
			mu.Lock()
			defer mu.Unlock()
			counted[fmt.Sprintf("%s %d", what, id)]++
		}
	}
	dir := t.TempDir()
	e := must[*gitops.Engine](t)(gitops.New(dir, gitops.Options{OnFetch: count("fetch"), OnPush: count("push")}))
	defer e.Close()
	r := s.at(e)
	if _, err := r.Deliver(t.Context(), edited(t, r, base, "a.yaml", "a: 1\n"), request(""), push("main", base)); err != nil {
		t.Fatal(err)
	}
	if counted["fetch 7"] != s.Fetches() || counted["push 7"] != 1 || s.Pushes() != 1 {
		t.Errorf("counted %v, the server %d fetches and %d pushes", counted, s.Fetches(), s.Pushes())
	}
	for path := range tree(t, dir) {
		if data := must[[]byte](t)(os.ReadFile(path)); strings.Contains(string(data), token) {
			t.Errorf("%s holds the token", path)
		}
	}
}

func TestPrefetch(t *testing.T) {
	s := newRemote(t)
	base := large(s)
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), []promotion.Mount{{Path: "in", Commit: base}}, nil))
	names := []string{"in/teams/t01/app/f0.yaml", "in/teams/t02/app/f1.yaml", "in/teams/none/x", "in/teams/t03", "elsewhere", "in"}
	if err := ws.Prefetch(t.Context(), names...); err != nil {
		t.Fatal(err)
	}
	s.Reset()
	for _, name := range names[:2] {
		must[[]byte](t)(ws.ReadFile(t.Context(), name))
	}
	s.wantCounts(0, 0)
}

// TestRewrittenRemote replaces all that the clone knows of.
func TestRewrittenRemote(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	s.git("", "update-ref", "-d", "refs/heads/main")
	s.git("", "reflog", "expire", "--expire=now", "--all")
	s.git("", "gc", "-q", "--prune=now")
	fresh := s.commit("main", file{path: "README.md", content: "# Begun anew\n"})
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(fresh), nil))
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), "README.md")); string(got) != "# Begun anew\n" {
		t.Errorf("README.md is %q", got)
	}
	old := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	write(t, old, "README.md", "# Mine\n")
	_, err := r.Deliver(t.Context(), old, request(""), push("main", base))
	wantIs(t, err, promotion.ErrStale)
}
