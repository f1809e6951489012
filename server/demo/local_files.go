package demo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server/runner"
)

// hasPipeline looks for pipeline files in the last commit, and whether they can
// be read.
func (l local) hasPipeline(ctx context.Context) error {
	files, err := l.pipelineFiles(ctx)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return l.missing(ctx)
	}
	_, found := config.ParseAllWith(files, runner.Check)
	if !config.HasErrors(found) {
		return nil
	}
	lines := []string{"the pipeline files in the last commit of " + l.shown + " are not right:"}
	for _, d := range found {
		lines = append(lines, "  "+d.String())
	}
	return errors.New(strings.Join(append(lines, "mend them and commit; stagecoach validate tells the same without a demo"), "\n"))
}

func (l local) pipelineFiles(ctx context.Context) (map[string][]byte, error) {
	paths, err := l.files(ctx)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, path := range paths {
		if _, ok := config.PipelineName(path); !ok {
			continue
		}
		content, err := l.git(ctx, "show", "HEAD:"+path)
		if err != nil {
			return nil, fmt.Errorf("read %s of the last commit of %s: %w", path, l.shown, err)
		}
		files[path] = []byte(content + "\n")
	}
	return files, nil
}

// files are the paths of the last commit.
func (l local) files(ctx context.Context) ([]string, error) {
	out, err := l.git(ctx, "ls-tree", "-r", "-z", "--name-only", "HEAD")
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", l.shown, err)
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

// missing says that a pipeline file is not committed, or what one could be.
func (l local) missing(ctx context.Context) error {
	for _, pattern := range []string{".github/stagecoach.y*ml", ".github/stagecoach/*.y*ml"} {
		if there, _ := filepath.Glob(filepath.Join(l.dir, pattern)); len(there) > 0 {
			path, _ := filepath.Rel(l.dir, there[0])
			return fmt.Errorf("%s is there but not committed, and only commits are played with: git add and git commit it in %s", path, l.shown)
		}
	}
	paths, err := l.files(ctx)
	if err != nil {
		return err
	}
	read := func(path string) string {
		content, err := l.git(ctx, "show", "HEAD:"+path)
		if err != nil {
			return ""
		}
		return content
	}
	branch, _ := l.git(ctx, "symbolic-ref", "--short", "HEAD")
	example, from := suggest(paths, read, branch)
	return &MissingConfig{Repo: l.shown, From: from, Example: example}
}

// ofGitHub takes owner and name out of a remote's URL, however it is spelled.
var ofGitHub = regexp.MustCompile(`[:/]([A-Za-z0-9](?:[A-Za-z0-9-]{0,38})?)/([A-Za-z0-9_.-]+?)(?:\.git)?/?$`)

// fullName is the repository's name on its GitHub, so that what its files say of
// it stays true; without a remote it is the folder's, in acme.
func (l local) fullName(ctx context.Context) (owner, name string) {
	if url, err := l.git(ctx, "remote", "get-url", "origin"); err == nil && strings.ContainsAny(url, ":@") {
		if m := ofGitHub.FindStringSubmatch(url); m != nil {
			return m[1], m[2]
		}
	}
	name = strings.TrimSuffix(filepath.Base(l.dir), ".git")
	name = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9_.-]+`).ReplaceAllString(name, "-"), "-.")
	if name == "" {
		name = "gitops"
	}
	return "acme", name
}
