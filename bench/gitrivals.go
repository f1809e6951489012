package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
)

// plumber promotes with git's plumbing commands in a bare clone of its own.
type plumber struct {
	*gitRepo
	clone string
}

// remoteGit runs git so that it may speak to the server.
func remoteGit(dir string, args ...string) error {
	_, err := gitopstest.GitEnv(gitopstest.Credentials(), dir, "", args...)
	return err
}

// plumber makes the clone; it stays warm.
func (g *gitRepo) plumber(b *bench) (*plumber, error) {
	dir, err := b.dir()
	if err != nil {
		return nil, err
	}
	p := &plumber{g, filepath.Join(dir, "clone.git")}
	return p, remoteGit("", "clone", "-q", "--bare", g.URL, p.clone)
}

var tagLine = regexp.MustCompile(`(?m)^  tag: "[^"]*"`)

// edited reads a file of a commit, changes its tag, and writes it as a blob.
func (p *plumber) edited(base, file, tag string) (blob string, err error) {
	text, err := gitopstest.Git(p.clone, "", "cat-file", "blob", base+":"+file)
	if err != nil {
		return "", err
	}
	return gitopstest.Git(p.clone, tagLine.ReplaceAllString(text, `  tag: "`+tag+`"`)+"\n", "hash-object", "-w", "--stdin")
}

// byIndex promotes by a temporary index: read-tree, update-index, write-tree.
func (p *plumber) byIndex(base, file, branch, tag string) error {
	blob, err := p.edited(base, file, tag)
	if err != nil {
		return err
	}
	index := filepath.Join(p.clone, "index-"+filepath.Base(branch))
	defer func() { _ = os.Remove(index) }()
	var tree string
	for _, args := range [][]string{
		{"read-tree", base},
		{"update-index", "--cacheinfo", "100644," + blob + "," + file},
		{"write-tree"},
	} {
		if tree, err = gitopstest.GitEnv([]string{"GIT_INDEX_FILE=" + index}, p.clone, "", args...); err != nil {
			return err
		}
	}
	return p.finish(base, tree, branch)
}

// byTrees promotes by rewriting just the trees on the way: ls-tree and mktree.
func (p *plumber) byTrees(base, file, branch, tag string) error {
	hash, err := p.edited(base, file, tag)
	if err != nil {
		return err
	}
	for at := file; at != "."; at = filepath.Dir(at) {
		dir := strings.TrimPrefix(filepath.Dir(at), ".")
		list, err := gitopstest.Git(p.clone, "", "ls-tree", base+":"+dir)
		if err != nil {
			return err
		}
		lines := strings.Split(list, "\n")
		for i, line := range lines {
			if head, name, _ := strings.Cut(line, "\t"); name == filepath.Base(at) {
				words := strings.Fields(head)
				lines[i] = fmt.Sprintf("%s %s %s\t%s", words[0], words[1], hash, name)
			}
		}
		if hash, err = gitopstest.Git(p.clone, strings.Join(lines, "\n")+"\n", "mktree"); err != nil {
			return err
		}
	}
	return p.finish(base, hash, branch)
}

func (p *plumber) finish(base, tree, branch string) error {
	commit, err := gitopstest.Git(p.clone, "", "commit-tree", "-p", base, "-m", "Promote to prod", tree)
	if err != nil {
		return err
	}
	return remoteGit(p.clone, "push", "-q", "origin", commit+":refs/heads/"+branch)
}

// byClone promotes as scripts do: clone, edit, commit, push.
func (g *gitRepo) byClone(b *bench, file, branch, tag string, options ...string) error {
	dir, err := b.dir()
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	clone := filepath.Join(dir, "clone")
	if err := remoteGit("", slices.Concat([]string{"clone", "-q"}, options, []string{g.URL, clone})...); err != nil {
		return err
	}
	full := filepath.Join(clone, filepath.FromSlash(file))
	text, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	if err := os.WriteFile(full, tagLine.ReplaceAll(text, []byte(`  tag: "`+tag+`"`)), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"commit", "-q", "-a", "-m", "Promote to prod"}, {"push", "-q", "origin", "HEAD:refs/heads/" + branch}} {
		if err := remoteGit(clone, args...); err != nil {
			return err
		}
	}
	return nil
}
