package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// local is a git repository of the user. It is only read, by a git that takes
// no locks and refreshes no index.
type local struct {
	dir   string // absolute
	shown string // as the user wrote it
}

func (l local) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks", "-C", l.dir, "-c", "core.quotePath=false"}, args...)...)
	cmd.Env = append(without(os.Environ(), "GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE="), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(errs.String())
		if said == "" {
			said = err.Error()
		}
		return "", errors.New(said)
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// without leaves out the variables that would lead git elsewhere.
func without(env []string, names ...string) []string {
	var out []string
	for _, each := range env {
		drop := false
		for _, name := range names {
			drop = drop || strings.HasPrefix(each, name)
		}
		if !drop {
			out = append(out, each)
		}
	}
	return out
}

// check says in words why the repository cannot be played with.
func (l local) check(ctx context.Context) error {
	for _, check := range []func(context.Context) error{l.isRepository, l.isWhole, l.hasPipeline} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l local) isRepository(ctx context.Context) error {
	if info, err := os.Stat(l.dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is no directory: give the clone of a GitOps repository", l.shown)
	}
	bare, err := l.git(ctx, "rev-parse", "--is-bare-repository")
	if err != nil {
		return fmt.Errorf("%s is not a git repository (%w): give the clone of a GitOps repository, or run git init and commit there", l.shown, err)
	}
	if bare == "true" {
		return nil
	}
	top, err := l.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return fmt.Errorf("%s has no work tree (%w): give the folder above .git", l.shown, err)
	}
	if real, err := filepath.EvalSymlinks(l.dir); err == nil && real != filepath.Clean(top) {
		return fmt.Errorf("%s is a folder inside the git repository %s: give that one", l.shown, top)
	}
	return nil
}

// isWhole refuses what cannot be imported.
func (l local) isWhole(ctx context.Context) error {
	if _, err := l.git(ctx, "symbolic-ref", "--short", "HEAD"); err != nil {
		return fmt.Errorf("%s has no branch checked out (its HEAD is detached): git switch to the branch that deploys", l.shown)
	}
	if _, err := l.git(ctx, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return fmt.Errorf("%s has no commit yet: commit the manifests first", l.shown)
	}
	if shallow, _ := l.git(ctx, "rev-parse", "--is-shallow-repository"); shallow == "true" {
		return fmt.Errorf("%s is a shallow clone, which cannot be imported: run git fetch --unshallow there", l.shown)
	}
	return nil
}
