package ghsim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// gitTimeout bounds one git command, so that a stuck one cannot hold the simulator's lock for ever.
const gitTimeout = 2 * time.Minute

// gitRunner runs the git binary over the bare repositories, cut off from the configuration of user and system.
type gitRunner struct {
	bin, root string
	env       []string
}

// gitConfig is the only configuration outside the repositories. A global file, not -c: what git starts for a local fetch sees it too.
const gitConfig = "[safe]\n\tdirectory = *\n[core]\n\tquotePath = false\n[protocol \"file\"]\n\tallow = always\n"

func newGitRunner(root string) (*gitRunner, error) {
	bin, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("ghsim: the git command is needed to serve repositories; install git 2.38 or newer: %w", err)
	}
	config := filepath.Join(root, "gitconfig")
	if err := os.WriteFile(config, []byte(gitConfig), 0o644); err != nil {
		return nil, fmt.Errorf("ghsim: git configuration: %w", err)
	}
	g := &gitRunner{bin: bin, root: root, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_GLOBAL=" + config, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "TZ=UTC",
	}}
	return g, g.checkVersion()
}

var versionPattern = regexp.MustCompile(`git version (\d+)\.(\d+)`)

// checkVersion refuses a git without merge-tree --write-tree.
func (g *gitRunner) checkVersion() error {
	out, err := g.run(g.root, nil, "version")
	if err != nil {
		return fmt.Errorf("ghsim: %w", err)
	}
	return checkGitVersion(string(out))
}

func checkGitVersion(text string) error {
	m := versionPattern.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("ghsim: %q is no version of git; install git 2.38 or newer", strings.TrimSpace(text))
	}
	major, _ := strconv.Atoi(m[1]) // digits, as matched
	minor, _ := strconv.Atoi(m[2])
	if major < 2 || major == 2 && minor < 38 {
		return fmt.Errorf("ghsim: git %d.%d is too old to merge without a work tree; install git 2.38 or newer", major, minor)
	}
	return nil
}

// gitError is a git command that ended with a failure.
type gitError struct {
	args   []string
	code   int
	stderr string
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s: exit status %d: %s", strings.Join(e.args, " "), e.code, strings.TrimSpace(e.stderr))
}

// exitCode is the exit status inside err, 0 for none.
func exitCode(err error) int {
	var failed *gitError
	if errors.As(err, &failed) {
		return failed.code
	}
	return 0
}

// run executes git in dir; extra environment entries come after the runner's own.
func (g *gitRunner) run(dir string, stdin []byte, args ...string) ([]byte, error) {
	return g.runEnv(dir, nil, stdin, args...)
}

func (g *gitRunner) runEnv(dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.bin, args...)
	cmd.Dir, cmd.Env = dir, append(append([]string{}, g.env...), env...)
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.Bytes(), &gitError{args: args, code: exit.ExitCode(), stderr: errs.String()}
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return out.Bytes(), nil
}

// line runs git and gives its output without the line end.
func (g *gitRunner) line(dir string, args ...string) (string, error) {
	out, err := g.run(dir, nil, args...)
	return strings.TrimSpace(string(out)), err
}

func (s *Sim) gitDir(r *repository) string {
	return filepath.Join(s.opts.Dir, strconv.FormatInt(r.id, 10)+".git")
}

func (s *Sim) gitLine(r *repository, args ...string) (string, error) {
	return s.git.line(s.gitDir(r), args...)
}

// commitOf resolves a branch, a tag, a ref or a SHA to a commit; "" when there is none.
func (s *Sim) commitOf(r *repository, ref string) string {
	if sha := r.refs["refs/heads/"+ref]; sha != "" {
		return sha
	}
	names := []string{"refs/tags/" + ref, "refs/" + ref, ref}
	if shaPattern.MatchString(ref) {
		names = []string{ref}
	}
	for _, name := range names {
		sha, err := s.gitLine(r, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
		if err == nil {
			return sha
		}
	}
	return ""
}

var shaPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)
