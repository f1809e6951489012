package gitops_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// sides makes three commits: base on main, and ours and theirs on top of it.
func (s *remote) sides(base, ours, theirs []file) (a, b, c string) {
	a = s.commit("main", base...)
	s.git("", "branch", "ours", a)
	s.git("", "branch", "theirs", a)
	return a, s.commit("ours", ours...), s.commit("theirs", theirs...)
}

// conflicts are what git's own merge finds.
func (s *remote) conflicts(ours, theirs string) []string {
	s.t.Helper()
	cmd := exec.Command("git", "merge-tree", "--write-tree", "--name-only", "--no-messages", ours, theirs)
	cmd.Dir, cmd.Env = s.Dir, gitopstest.Env()
	out, err := cmd.Output() // it ends with 1 when there are conflicts
	lines := strings.Fields(string(out))
	if len(lines) == 0 {
		s.t.Fatal(err)
	}
	return lines[1:] // behind the tree
}

const values = "image:\n  repo: web\n  tag: 1.4.1\n  pull: Always\n\nreplicas: 3\nport: 80\n"

// TestConflicts tells of what one person changes while our change waits.
func TestConflicts(t *testing.T) {
	ours := strings.Replace(values, "1.4.1", "1.4.2", 1)
	cases := []struct {
		name         string
		base         string // "" when the file is not there
		ours, theirs string
		want         bool
	}{
		{"another line", values, ours, strings.Replace(values, "80", "81", 1), false},
		{"the same line", values, ours, strings.Replace(values, "1.4.1", "1.4.3", 1), true},
		{"the same line, the same way", values, ours, ours, false},
		{"the line beside it", values, ours, strings.Replace(values, "Always", "Never", 1), true},
		{"a line added right below", values, ours, strings.Replace(values, "1.4.1\n", "1.4.1\n  digest: a\n", 1), true},
		{"the file is gone", "a: 1\nb: 2\n", "a: 2\nb: 2\n", "", true},
		{"both made it", "", ours, values, true},
		{"both made it alike", "", ours, ours, false},
		{"line endings", values, ours, strings.ReplaceAll(values, "\n", "\r\n"), true},
		{"binary", "a\x00b", "a\x00c", "a\x00d", true},
		{"the last line without an end", "a: 1\nb: 2", "a: 2\nb: 2", "a: 1\nb: 2\n", true},
		{"far from each other", values, ours, values + "more: 1\n", false},
	}
	s := newRemote(t)
	var base, left, right []file
	var want []string
	for i, c := range cases {
		name := fmt.Sprintf("f%02d.yaml", i)
		for list, text := range map[*[]file]string{&base: c.base, &left: c.ours, &right: c.theirs} {
			if text != "" {
				*list = append(*list, file{path: name, content: text})
			} else if list != &base {
				*list = append(*list, file{path: name, remove: true})
			}
		}
		if c.want {
			want = append(want, name)
		}
	}
	_, b, c := s.sides(base, left, right)
	if diff := cmp.Diff(s.conflicts(b, c), want); diff != "" {
		t.Fatalf("git itself sees it otherwise: %s", diff)
	}
	s.Reset()
	got := must[[]string](t)(s.open(t).Conflicts(t.Context(), b, c))
	for i, tc := range cases {
		if name := fmt.Sprintf("f%02d.yaml", i); slices.Contains(got, name) != tc.want {
			t.Errorf("%s: a conflict is %v, want %v", tc.name, !tc.want, tc.want)
		}
	}
}

// TestConflictsAreThoseOfGit compares with git's merge of many random texts. git
// may shift a change among equal lines, so a few may differ; none of those may be
// one that git cannot merge and we can.
func TestConflictsAreThoseOfGit(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	s := newRemote(t)
	var base, left, right []file
	for i := range 400 {
		name := fmt.Sprintf("d%d/f%03d.yaml", i%7, i)
		text := randomLines(rng)
		base = append(base, file{path: name, content: strings.Join(text, "")})
		left = append(left, file{path: name, content: strings.Join(mutated(rng, text), "")})
		right = append(right, file{path: name, content: strings.Join(mutated(rng, text), "")})
	}
	_, b, c := s.sides(base, left, right)
	want := s.conflicts(b, c)
	got := must[[]string](t)(s.open(t).Conflicts(t.Context(), b, c))
	if len(want) < 50 || len(want) > 350 {
		t.Fatalf("%d of 400 conflict: this test shows nothing", len(want))
	}
	over := 0
	for _, f := range base {
		ours, gits := slices.Contains(got, f.path), slices.Contains(want, f.path)
		if gits && !ours {
			t.Errorf("%s: git finds a conflict, we do not", f.path)
		}
		if ours && !gits {
			over++
		}
	}
	if over > 8 {
		t.Errorf("%d of 400 are taken for conflicts, and are none", over)
	}
}

func randomLines(rng *rand.Rand) []string {
	var out []string
	for i := range 5 + rng.IntN(30) {
		out = append(out, fmt.Sprintf("key%d: %d\n", i, rng.IntN(4)))
	}
	return out
}

// mutated changes, adds and takes away a few lines.
func mutated(rng *rand.Rand, lines []string) []string {
	out := slices.Clone(lines)
	for range 1 + rng.IntN(3) {
		i := rng.IntN(len(out))
		switch rng.IntN(4) {
		case 0:
			out = slices.Insert(out, i, fmt.Sprintf("new: %d\n", rng.IntN(3)))
		case 1:
			if len(out) > 2 {
				out = slices.Delete(out, i, i+1)
			}
		default:
			out[i] = fmt.Sprintf("changed: %d\n", rng.IntN(3))
		}
	}
	return out
}

// A comparison costs one fetch, whatever is compared with the same tip.
func TestConflictsCostOneFetch(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	var ours []string
	for i := range 3 {
		ws := edited(t, r, base, fmt.Sprintf("envs/dev/new%d.yaml", i), "a: 1\n")
		c := must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(base)))
		req := push(fmt.Sprintf("stagecoach/default/dev/%d", i), "")
		req.Commit = c
		must[gitops.Pushed](t)(r.Push(t.Context(), req))
		ours = append(ours, c.SHA)
	}
	tip := s.commit("main", file{path: "envs/dev/kustomization.yaml", content: "images: []\n"}, file{path: "envs/dev/new1.yaml", content: "b: 1\n"})
	s.Reset()
	for i, sha := range ours {
		got := must[[]string](t)(r.Conflicts(t.Context(), sha, tip))
		if want := map[bool][]string{true: {"envs/dev/new1.yaml"}}[i == 1]; !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", i, got, want)
		}
	}
	s.wantCounts(1, 0)
}

// A file stands where ours needs a folder, and the other way round.
func TestConflictsOfFilesAndFolders(t *testing.T) {
	s := newRemote(t)
	_, b, c := s.sides([]file{{path: "README.md", content: "a\n"}},
		[]file{{path: "envs/dev/a.yaml", content: "a: 1\n"}, {path: "out", content: "x\n"}},
		[]file{{path: "envs", content: "no folder\n"}, {path: "out/b.yaml", content: "b: 1\n"}})
	if got := must[[]string](t)(s.open(t).Conflicts(t.Context(), b, c)); !slices.Equal(got, []string{"envs/dev/a.yaml", "out"}) {
		t.Errorf("conflicts in %v", got)
	}
}

// TestOverwrites tells when a change that is made anew would take away what
// somebody wrote.
func TestOverwrites(t *testing.T) {
	set := func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		for i, l := range lines {
			if strings.HasPrefix(l, "  tag: ") {
				lines[i] = "  tag: 1.4.2\n"
			}
		}
		return strings.Join(lines, "")
	}
	cases := []struct{ name, base, ours, now, anew string }{
		{"the line beside it", values, set(values), strings.Replace(values, "Always", "Never", 1), ""},
		{"the same value", values, set(values), strings.Replace(values, "1.4.1", "1.4.3", 1), "over"},
		{"what it was to be", values, set(values), set(values) + "more: 1\n", ""},
		{"the line moved", values, set(values), "# said\n" + values, ""},
		{"a file that ours made", "", set(values), values + "mine: 1\n", "over"},
		{"other ends of lines", values, set(values), strings.ReplaceAll(values, "\n", "\r\n"), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newRemote(t)
			base := []file{{path: "README.md", content: "a\n"}}
			if c.base != "" {
				base = append(base, file{path: "v.yaml", content: c.base})
			}
			_, b, now := s.sides(base, []file{{path: "v.yaml", content: c.ours}}, []file{{path: "v.yaml", content: c.now}})
			r := s.open(t)
			ws := edited(t, r, now, "v.yaml", strings.ReplaceAll(set(c.now), "\r", ""))
			made := must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(now)))
			if made.Empty {
				return // nothing is left to change
			}
			if got := must[[]string](t)(r.Overwrites(t.Context(), b, made)); (len(got) > 0) != (c.anew != "") {
				t.Errorf("%v is overwritten", got)
			}
		})
	}
}

// TestPushedAnew puts a change that is made anew in place of what a branch held:
// pushed, or made by the API and then moved by a push, and never over somebody's.
func TestPushedAnew(t *testing.T) {
	for _, byAPI := range []bool{false, true} {
		t.Run(fmt.Sprintf("by the API %v", byAPI), func(t *testing.T) {
			t.Parallel()
			s := newRemote(t)
			base := sample(s)
			r := s.open(t)
			on := func(parent string) gitops.PushRequest {
				ws := edited(t, r, parent, "envs/dev/new.yaml", "a: 1\n")
				req := push("stagecoach/default/dev/x", "")
				req.Commit = must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(parent)))
				if byAPI {
					req.Make = s.make
				}
				return req
			}
			first := must[gitops.Pushed](t)(r.Push(t.Context(), on(base)))
			tip := s.commit("main", file{path: "envs/dev/kustomization.yaml", content: "images: []\n"})
			anew := on(tip)
			anew.Old = first.Commit
			second := must[gitops.Pushed](t)(r.Push(t.Context(), anew))
			if got := s.tip(anew.Branch); got != second.Commit || s.git("", "rev-parse", got+"^") != tip || s.git("", "rev-parse", got+"^{tree}") != anew.Commit.Tree {
				t.Errorf("the branch is at %s, want %s with the change on %s", got, second.Commit, tip)
			}
			if byAPI == (second.Commit == anew.Commit.SHA) {
				t.Errorf("the commit is %s: the wrong side made it", second.Commit)
			}
			theirs := s.commit(anew.Branch, file{path: "b.yaml", content: "b: 1\n"})
			later := on(s.commit("main", file{path: "README.md", content: "more\n"}))
			later.Old = second.Commit
			_, err := r.Push(t.Context(), later)
			wantIs(t, err, promotion.ErrStale)
			if got := s.tip(anew.Branch); got != theirs {
				t.Errorf("somebody's commit %s is gone: the branch is at %s", theirs, got)
			}
			s.fsck()
		})
	}
}

// TestGone tells when what a commit wrote does not stand any more.
func TestGone(t *testing.T) {
	set := strings.Replace(values, "1.4.1", "1.4.2", 1)
	cases := []struct {
		name             string
		base, ours, then string // "": there is no file
		want             bool
	}{
		{"untouched", values, set, set, false},
		{"other lines", values, set, strings.Replace(set, "replicas: 3", "replicas: 5", 1), false},
		{"what was written", values, set, strings.Replace(set, "1.4.2", "1.4.3", 1), true},
		{"back to what it was", values, set, values, true},
		{"the file is gone", values, set, "", true},
		{"written beside it", values, set, "# mine\n" + set, false},
		{"a file that was made", "", set, strings.Replace(set, "port: 80", "port: 81", 1), true},
		{"a file that was deleted", "a: 1\n", "", "a: 1\n", true},
		{"binary", "a\x00", "b\x00", "c\x00", true},
	}
	s := newRemote(t)
	put := func(list []file, i int, text string, before bool) []file {
		name := fmt.Sprintf("f%02d.yaml", i)
		switch {
		case text != "":
			return append(list, file{path: name, content: text})
		case before:
			return append(list, file{path: name, remove: true})
		}
		return list
	}
	var base, ours, then []file
	for i, c := range cases {
		base = put(base, i, c.base, false)
		ours = put(ours, i, c.ours, c.base != "")
		then = put(then, i, c.then, c.ours != "")
	}
	s.commit("main", base...)
	landed := s.commit("main", ours...)
	r := s.open(t)
	if got := must[[]string](t)(r.Gone(t.Context(), landed, landed)); len(got) != 0 {
		t.Errorf("right after it landed %v are gone", got)
	}
	tip := s.commit("main", then...)
	got := must[[]string](t)(r.Gone(t.Context(), landed, tip))
	for i, c := range cases {
		if name := fmt.Sprintf("f%02d.yaml", i); slices.Contains(got, name) != c.want {
			t.Errorf("%s: gone is %v, want %v", c.name, !c.want, c.want)
		}
	}
}
