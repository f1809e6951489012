package ghsim

import (
	"fmt"
	"strings"
)

// Branches maps each branch to the commit at its tip.
func (s *Sim) Branches(repo Repo) map[string]string {
	out := map[string]string{}
	s.look(repo, func(r *repository) {
		for ref, sha := range r.refs {
			if name, is := strings.CutPrefix(ref, "refs/heads/"); is {
				out[name] = sha
			}
		}
	})
	return out
}

// File gives a file's content at a branch, tag or commit.
func (s *Sim) File(repo Repo, ref, path string) (string, error) {
	out, err := s.gitAt(repo, ref, func(r *repository, sha string) ([]byte, error) {
		return s.git.run(s.gitDir(r), nil, "cat-file", "blob", sha+":"+path)
	})
	if err != nil {
		return "", fmt.Errorf("file %s: %w", path, err)
	}
	return string(out), nil
}

// Files lists the paths of all files at a branch, tag or commit.
func (s *Sim) Files(repo Repo, ref string) ([]string, error) {
	out, err := s.gitAt(repo, ref, func(r *repository, sha string) ([]byte, error) {
		return s.git.run(s.gitDir(r), nil, "ls-tree", "-r", "-z", "--name-only", sha)
	})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"), nil
}

// Log lists the commits of a branch, tag or commit, newest first.
func (s *Sim) Log(repo Repo, ref string) ([]Commit, error) {
	var commits []Commit
	_, err := s.gitAt(repo, ref, func(r *repository, sha string) (_ []byte, err error) {
		commits, err = s.logOf(r, sha)
		return nil, err
	})
	return commits, err
}

// gitAt resolves a ref and runs f on its commit, outside the lock: objects never change.
func (s *Sim) gitAt(repo Repo, ref string, f func(*repository, string) ([]byte, error)) ([]byte, error) {
	var r *repository
	var sha string
	s.look(repo, func(found *repository) { r, sha = found, s.commitOf(found, ref) })
	if r == nil {
		return nil, fmt.Errorf("there is no repository %d", repo.ID)
	}
	if sha == "" {
		return nil, fmt.Errorf("%s has no %q", repo.FullName(), ref)
	}
	return f(r, sha)
}

// Changes lists the files of a pull request with their patches.
func (s *Sim) Changes(repo Repo, number int) ([]FileChange, error) {
	var out []FileChange
	err := fmt.Errorf("%s has no pull request #%d", repo.FullName(), number)
	s.look(repo, func(r *repository) {
		i := r.issues[number]
		if i == nil || i.pull == nil {
			return
		}
		if out, err = s.changedFiles(i); err != nil {
			return
		}
		for n := range out {
			if out[n].Patch, err = s.patch(i, out[n].Path); err != nil {
				return
			}
		}
	})
	return out, err
}
