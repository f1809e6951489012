package main

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stagecoach": main})
}

// TestScripts plays the sessions under testdata/script with the real main.
func TestScripts(t *testing.T) {
	shared := sharedGitops(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			for _, person := range []string{"AUTHOR", "COMMITTER"} {
				e.Setenv("GIT_"+person+"_NAME", "octocat")
				e.Setenv("GIT_"+person+"_EMAIL", "octocat@users.noreply.github.com")
			}
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			e.Setenv("SHARED", shared)
			e.Setenv("CLOSED", closedPort(t))
			return os.MkdirAll(filepath.Join(e.WorkDir, "tmp"), 0o755)
		},
		Condition: func(name string) (bool, error) {
			if name == "shared" {
				return shared != "", nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"copytree": copyTree, "git": gitCommand, "landed": landed, "gone": gone,
		},
	})
}

// sharedGitops is where the example repositories stand beside this one; "" when
// they are not there.
func sharedGitops(t *testing.T) string {
	dir, err := filepath.Abs("../shared/gitops")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// closedPort is an address where nobody listens.
func closedPort(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().String()
}

// copyTree copies a folder: copytree FROM TO.
func copyTree(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// gitCommand runs git in a folder: git DIR ARG….
func gitCommand(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("git", append([]string{"-C", ts.MkAbs(args[0])}, args[1:]...)...)
	if (err != nil) != neg {
		ts.Fatalf("git %v: %v", args, err)
	}
}

// landed writes into a file what the simulated GitHub of a kept demo has on a
// branch: landed KEPT BRANCH PATH FILE.
func landed(ts *testscript.TestScript, _ bool, args []string) {
	repos, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "github", "*.git"))
	ts.Check(err)
	if len(repos) != 1 {
		ts.Fatalf("%d repositories in %s, want 1", len(repos), args[0])
	}
	out, err := exec.Command("git", "--git-dir", repos[0], "show", args[1]+":"+args[2]).Output()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), out, 0o644))
}

// gone checks that a folder is empty: gone DIR.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	entries, err := fs.ReadDir(os.DirFS(ts.MkAbs(args[0])), ".")
	ts.Check(err)
	if len(entries) > 0 {
		ts.Fatalf("%s still holds %v", args[0], entries)
	}
}
