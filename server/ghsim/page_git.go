package ghsim

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// TreeEntry is one name in a directory.
type TreeEntry struct {
	Name string
	// Kind is blob, tree, or commit for a submodule; Mode is git's, such as 100644.
	Kind, Mode string
	Size       int64 // of a blob, in bytes
}

// Resolve gives the commit of a branch, tag or SHA, which may be short.
func (s *Sim) Resolve(repo Repo, ref string) (sha string, found bool) {
	s.look(repo, func(r *repository) { sha = s.commitOf(r, ref) })
	return sha, sha != ""
}

// Tree lists a directory at a branch, tag or commit, in git's order. "" is the root.
func (s *Sim) Tree(repo Repo, ref, dir string) ([]TreeEntry, error) {
	out, err := s.gitAt(repo, ref, func(r *repository, sha string) ([]byte, error) {
		return s.git.run(s.gitDir(r), nil, "ls-tree", "-z", "--long", "--end-of-options", sha+":"+dir)
	})
	if err != nil {
		return nil, fmt.Errorf("directory %q: %w", dir, err)
	}
	var entries []TreeEntry
	for _, line := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		head, name, found := strings.Cut(line, "\t")
		f := strings.Fields(head) // mode, kind, hash, size
		if !found || len(f) != 4 {
			continue
		}
		size, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			size = 0 // "-": not a blob
		}
		entries = append(entries, TreeEntry{Name: path.Base(name), Mode: f[0], Kind: f[1], Size: size})
	}
	return entries, nil
}

// History lists commits of a branch, tag or commit, newest first: limit of them after the first skip. A path that is not
// empty narrows it to those that changed the file or directory.
func (s *Sim) History(repo Repo, ref, below string, skip, limit int) ([]Commit, error) {
	var commits []Commit
	_, err := s.gitAt(repo, ref, func(r *repository, sha string) (_ []byte, err error) {
		args := []string{"--skip=" + strconv.Itoa(skip), "--max-count=" + strconv.Itoa(limit), sha}
		if below != "" {
			args = append(args, "--", ":(literal)"+below)
		}
		commits, err = s.logOf(r, args...)
		return nil, err
	})
	return commits, err
}

// Between lists the commits that head has and base has not, oldest first, and the commit where head left base.
func (s *Sim) Between(repo Repo, base, head string) (fork string, commits []Commit, err error) {
	from, found := s.Resolve(repo, base)
	if !found {
		return "", nil, fmt.Errorf("%s has no %q", repo.FullName(), base)
	}
	_, err = s.gitAt(repo, head, func(r *repository, sha string) (_ []byte, err error) {
		if fork, err = s.gitLine(r, "merge-base", from, sha); err != nil {
			return nil, fmt.Errorf("%s and %s have no commit in common: %w", base, head, err)
		}
		commits, err = s.logOf(r, "--reverse", from+".."+sha)
		return nil, err
	})
	return fork, commits, err
}
