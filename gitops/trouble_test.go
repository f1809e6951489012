package gitops_test

import (
	"bytes"
	"context"
	"errors"
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

// cutPush cuts the connection of a push when the server has read in bytes of the
// request, or, if that is all of it, when it has written out bytes of its answer.
func (s *remote) cutPush(in, out int) {
	s.SetFault(func(w http.ResponseWriter, r *http.Request, serve http.Handler) bool {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "git-receive-pack") {
			return false
		}
		body, _ := io.ReadAll(r.Body)
		if in < len(body) {
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body[:in])), int64(in)
			serve.ServeHTTP(httptest.NewRecorder(), r)
			gitopstest.Cut(w)
			return true
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		rec := httptest.NewRecorder()
		serve.ServeHTTP(rec, r)
		w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes()[:min(out, rec.Body.Len())])
		_ = http.NewResponseController(w).Flush()
		if out < rec.Body.Len() {
			gitopstest.Cut(w)
		}
		return true
	})
}

// TestKilledInThePush cuts a push at many points, in the request and in the answer,
// on a branch that is there and on a new one, and goes on with another engine.
func TestKilledInThePush(t *testing.T) {
	const all = 1 << 20
	for _, cutAt := range [][2]int{{0, 0}, {1, 0}, {60, 0}, {200, 0}, {330, 0}, {all, 0}, {all, 1}, {all, 20}, {all, 45}, {all, 70}} {
		for _, branch := range []string{"main", "beside"} {
			t.Run(fmt.Sprintf("%v on %s", cutAt, branch), func(t *testing.T) {
				t.Parallel()
				s := newRemote(t)
				base := sample(s)
				req := push(branch, "")
				if branch == "main" {
					req.Old = base
				}
				first := s.open(t)
				ws := edited(t, first, base, "a.yaml", "a: 1\n")
				s.cutPush(cutAt[0], cutAt[1])
				_, err := first.Deliver(t.Context(), ws, request(base), req)
				if promotion.IsTerminal(err) || errors.Is(err, promotion.ErrStale) {
					t.Fatalf("error %v: want one that may be tried again, or none", err)
				}
				s.SetFault(nil)
				r := s.open(t)
				again := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), ws.Changes()))
				req.Look = true
				d := must[gitops.Delivered](t)(r.Deliver(t.Context(), again, request(base), req))
				if d.Pushed.Commit != s.tip(branch) || s.git("", "rev-parse", branch+"^") != base {
					t.Errorf("delivered %+v, the branch is at %s", d.Pushed, s.tip(branch))
				}
				if n := s.git("", "rev-list", "--count", base+".."+branch); n != "1" {
					t.Errorf("%s commits landed", n)
				}
				s.fsck()
			})
		}
	}
}

// TestRemoteThatTurnsBack moves the branch to where it was before, to a sibling,
// and away, while a change waits to be pushed.
func TestRemoteThatTurnsBack(t *testing.T) {
	for name, turn := range map[string]func(s *remote, before string){
		"back": func(s *remote, before string) { s.git("", "update-ref", "refs/heads/main", before) },
		"sibling": func(s *remote, before string) {
			s.git("", "update-ref", "refs/heads/main", before)
			s.commit("main", file{path: "z", content: "z"})
		},
		"same edit": func(s *remote, before string) {
			s.git("", "update-ref", "refs/heads/main", before)
			s.commit("main", file{path: "a.yaml", content: "a: 9\n"})
		},
		"gone": func(s *remote, _ string) { s.git("", "update-ref", "-d", "refs/heads/main") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRemote(t)
			before := sample(s)
			base := s.commit("main", file{path: "b.yaml", content: "b: 1\n"})
			r := s.open(t)
			ws := edited(t, r, base, "a.yaml", "a: 1\n")
			turn(s, before)
			was := s.git("", "for-each-ref")
			d, err := r.Deliver(t.Context(), ws, request(""), push("main", base))
			if name == "gone" || name == "same edit" {
				wantIs(t, err, promotion.ErrStale)
				if now := s.git("", "for-each-ref"); now != was {
					t.Errorf("refs %q became %q", was, now)
				}
				return
			}
			if err != nil || !d.Pushed.Rebased || s.tip("main") != d.Pushed.Commit {
				t.Fatalf("delivered %+v, %v", d.Pushed, err)
			}
			if got := s.git("", "ls-tree", "--name-only", "main"); strings.Contains(got, "b.yaml") {
				t.Errorf("what others took back is there again: %q", got)
			}
			s.fsck()
		})
	}
}

// TestEmptiedRemote removes all refs and objects. What is here can be read, and a
// push says that the branch is gone.
func TestEmptiedRemote(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	ws := edited(t, r, base, "a.yaml", "a: 1\n")
	s.git("", "update-ref", "-d", "refs/heads/main")
	s.git("", "gc", "-q", "--prune=now")
	if refs := must[gitops.Refs](t)(r.Refs(t.Context())); len(refs.Heads) != 0 {
		t.Errorf("branches %v", refs.Heads)
	}
	_, err := r.Deliver(t.Context(), ws, request(""), push("main", base))
	wantIs(t, err, promotion.ErrStale)
	if err := r.Fetch(t.Context(), []string{strings.Repeat("ab", 20)}); err == nil || promotion.IsTerminal(err) {
		t.Errorf("fetching what is nowhere: %v", err)
	}
}

// TestServerThatFailsInWords answers fetches with errors of its own, then heals.
func TestServerThatFailsInWords(t *testing.T) {
	pkt := func(s string) string { return fmt.Sprintf("%04x%s", len(s)+4, s) }
	for name, answer := range map[string]string{
		"shallow file":   pkt("ERR shallow file has changed since we read it\n"),
		"not our ref":    pkt("ERR upload-pack: not our ref 1234\n"),
		"cut in shallow": "0035shallow 12",
		"no pack":        pkt("shallow "+strings.Repeat("1", 40)) + "0000" + pkt("NAK\n"),
		"fatal midway":   "0000" + pkt("NAK\n") + pkt("\x03fatal: out of memory\n"),
		"nothing":        "",
		"noise":          "<html>",
	} {
		t.Run(name, func(t *testing.T) {
			s := newRemote(t)
			base := sample(s)
			r := s.open(t)
			s.SetFault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				if r.Method == http.MethodGet {
					return false
				}
				w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
				_, _ = io.WriteString(w, answer)
				return true
			})
			err := r.Fetch(t.Context(), []string{base})
			if err == nil || promotion.IsTerminal(err) || errors.Is(err, promotion.ErrStale) {
				t.Errorf("error %v", err)
			}
			s.SetFault(nil)
			if err := r.Fetch(t.Context(), []string{base}); err != nil {
				t.Errorf("after it healed: %v", err)
			}
		})
	}
}

// TestManyFilesInOneFolder edits, adds and removes one of ten thousand.
func TestManyFilesInOneFolder(t *testing.T) {
	s := newRemote(t)
	files := make([]file, 10_000)
	for i := range files {
		files[i] = file{path: fmt.Sprintf("apps/app-%05d.yaml", i), content: fmt.Sprintf("app: %d\n", i)}
	}
	base := s.commit("main", files...)
	r := s.open(t)
	s.Reset()
	ws := edited(t, r, base, "apps/app-05000.yaml", "app: new\n")
	write(t, ws, "apps/app-05000-b.yaml", "app: more\n")
	if err := ws.Remove(t.Context(), "apps/app-00000.yaml"); err != nil {
		t.Fatal(err)
	}
	if in := must[[]gitops.Entry](t)(ws.ReadDir(t.Context(), "apps")); len(in) != 10_000 {
		t.Errorf("%d files are listed", len(in))
	}
	must[gitops.Delivered](t)(r.Deliver(t.Context(), ws, request(""), push("main", base)))
	if got := s.git("", "diff", "--name-status", base, "main"); got != "D\tapps/app-00000.yaml\nA\tapps/app-05000-b.yaml\nM\tapps/app-05000.yaml" {
		t.Errorf("changed %q", got)
	}
	if n := s.Fetches(); n > 4 {
		t.Errorf("%d fetches", n)
	}
	s.fsck()
}

// TestBytesStay writes contents that a careless client changes on their way.
func TestBytesStay(t *testing.T) {
	s := newRemote(t)
	base := s.commit("main", file{path: "crlf.txt", content: "a\r\nb\r\n"}, file{path: ".gitattributes", content: "* text=auto eol=lf ident\n*.bin filter=lfs diff=lfs merge=lfs -text\n"})
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	want := map[string]string{
		"crlf.txt": "a\r\nc\r\n", "empty": "", "no-end": "x", "bom": "\ufeffx\n", "binary": "\x00\xff\r\n", "caf\xe9/\xff.yaml": "latin-1 names\n",
		"ident": "$Id$\n", "spaces in  it/ü €.yaml": "a: 1 \n", "-dash": "\n\n",
		"large.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("ab", 32) + "\nsize 104857600\n",
	}
	for name, content := range want {
		write(t, ws, name, content)
	}
	d := must[gitops.Delivered](t)(r.Deliver(t.Context(), ws, request(""), push("main", base)))
	for name, content := range want {
		got, err := s.Git("", "cat-file", "blob", d.Commit.SHA+":"+name)
		if err != nil || got != strings.TrimSuffix(content, "\n") {
			t.Errorf("%q is %q on the server, %v", name, got, err)
		}
	}
	fresh := s.open(t)
	for name, content := range want {
		files := must[map[string]gitops.File](t)(fresh.ReadFiles(context.Background(), d.Commit.SHA, name))
		if string(files[name].Content) != content {
			t.Errorf("%q reads as %q", name, files[name].Content)
		}
	}
	s.fsck()
}
