package ghsim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is one commit with the paths that it changed against its first parent.
type Commit struct {
	SHA, Tree                string
	Parents                  []string
	Author, Committer        Signature
	Message                  string // without the line end
	Added, Removed, Modified []string
}

// Signature is who made a commit, and when.
type Signature struct {
	Name, Email string
	When        time.Time
}

// The separators of logFormat: before a commit, between its fields, before its paths.
const (
	commitMark, fieldMark, pathMark = "\x1e", "\x1f", "\x1d"

	logFormat = "--format=%x1e%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%aI%x1f%cn%x1f%ce%x1f%cI%x1f%B%x1d"
)

// logOf runs git log with the given arguments, newest commit first.
func (s *Sim) logOf(r *repository, args ...string) ([]Commit, error) {
	full := append([]string{"log", logFormat, "--name-status", "--no-renames", "--diff-merges=first-parent"}, args...)
	out, err := s.git.run(s.gitDir(r), nil, full...)
	if err != nil {
		return nil, err
	}
	var commits []Commit
	for _, chunk := range strings.Split(string(out), commitMark)[1:] {
		c, err := parseCommit(chunk)
		if err != nil {
			return nil, err
		}
		commits = append(commits, c)
	}
	return commits, nil
}

func parseCommit(chunk string) (Commit, error) {
	head, paths, _ := strings.Cut(chunk, pathMark)
	f := strings.SplitN(head, fieldMark, 10)
	if len(f) != 10 {
		return Commit{}, fmt.Errorf("git log printed %q", chunk)
	}
	c := Commit{
		SHA: f[0], Tree: f[1], Parents: strings.Fields(f[2]), Message: strings.TrimRight(f[9], "\n"),
		Author: signature(f[3], f[4], f[5]), Committer: signature(f[6], f[7], f[8]),
	}
	for _, line := range strings.Split(paths, "\n") {
		c.addPath(line)
	}
	return c, nil
}

func signature(name, email, when string) Signature {
	t, err := time.Parse(time.RFC3339, when)
	if err != nil {
		t = time.Time{} // a commit may hold any nonsense as its date
	}
	return Signature{Name: name, Email: email, When: t}
}

func (c *Commit) addPath(line string) {
	status, path, found := strings.Cut(line, "\t")
	if !found {
		return
	}
	if strings.HasPrefix(path, `"`) {
		if plain, err := strconv.Unquote(path); err == nil {
			path = plain
		}
	}
	switch status {
	case "A":
		c.Added = append(c.Added, path)
	case "D":
		c.Removed = append(c.Removed, path)
	default:
		c.Modified = append(c.Modified, path)
	}
}
