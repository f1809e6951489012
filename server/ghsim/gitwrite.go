package ghsim

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// Deleted is the content, in a map of files, that removes the path.
const Deleted = "\x00deleted"

const zeroSHA = "0000000000000000000000000000000000000000"

// repoConfig is what GitHub allows and refuses: fetching by any hash, partial clones, pushes that force or delete, but
// not of the default branch; refs/pull belongs to the site.
const repoConfig = `[http]
	receivepack = true
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[receive]
	denyDeleteCurrent = refuse
	hideRefs = refs/pull
	autogc = false
[gc]
	auto = 0
`

func (s *Sim) initGit(r *repository) error {
	dir := s.gitDir(r)
	if _, err := s.git.run(s.opts.Dir, nil, "init", "--quiet", "--bare", "--template=", "--initial-branch="+r.defaultBranch, dir); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(repoConfig)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// importGit copies all branches and tags of a local repository, and takes its current branch as the default.
func (s *Sim) importGit(r *repository, from string) error {
	source, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	if branch, err := s.git.line(source, "symbolic-ref", "--short", "HEAD"); err == nil {
		r.defaultBranch = branch
	}
	if err := s.initGit(r); err != nil {
		return err
	}
	_, err = s.git.run(s.gitDir(r), nil, "fetch", "--quiet", "--no-write-fetch-head", source,
		"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
	return err
}

// writeCommit puts files on a branch on top of its tip; a branch that does not exist begins at from, or at nothing.
func (s *Sim) writeCommit(r *repository, branch, from string, files map[string]string, message string, by Signature) error {
	parent := r.refs["refs/heads/"+branch]
	if parent == "" {
		parent = from
	}
	var in bytes.Buffer
	who := fmt.Sprintf("%s <%s> %d +0000", by.Name, by.Email, by.When.Unix())
	fmt.Fprintf(&in, "commit refs/heads/%s\nauthor %s\ncommitter %s\ndata %d\n%s\n", branch, who, who, len(message), message)
	if parent != "" {
		fmt.Fprintf(&in, "from %s\n", parent)
	}
	for _, path := range sortedKeys(files) {
		writeChange(&in, path, files[path])
	}
	_, err := s.git.run(s.gitDir(r), in.Bytes(), "fast-import", "--quiet", "--date-format=raw")
	return err
}

func writeChange(in *bytes.Buffer, path, content string) {
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
	if content == Deleted {
		fmt.Fprintf(in, "D %s\n", quoted)
		return
	}
	fmt.Fprintf(in, "M 100644 inline %s\ndata %d\n%s\n", quoted, len(content), content)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// commitTree writes a commit object over an existing tree.
func (s *Sim) commitTree(r *repository, tree, message string, author, committer Signature, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	env := []string{
		"GIT_AUTHOR_NAME=" + author.Name, "GIT_AUTHOR_EMAIL=" + author.Email, "GIT_AUTHOR_DATE=" + gitDate(author.When),
		"GIT_COMMITTER_NAME=" + committer.Name, "GIT_COMMITTER_EMAIL=" + committer.Email, "GIT_COMMITTER_DATE=" + gitDate(committer.When),
	}
	out, err := s.git.runEnv(s.gitDir(r), env, []byte(message), args...)
	return strings.TrimSpace(string(out)), err
}

func gitDate(t time.Time) string { return fmt.Sprintf("%d +0000", t.Unix()) }

// updateRef moves a ref from old to new, both as SHAs; old zeroSHA means that it must not exist, "" that anything is fine.
func (s *Sim) updateRef(r *repository, ref, to, old string) error {
	args := []string{"update-ref", ref, to}
	if old != "" {
		args = append(args, old)
	}
	_, err := s.gitLine(r, args...)
	return err
}

func (s *Sim) deleteRef(r *repository, ref, old string) error {
	_, err := s.gitLine(r, "update-ref", "-d", ref, old)
	return err
}

// readRefs lists branches and tags as they are on disk.
func (s *Sim) readRefs(r *repository) (map[string]string, error) {
	out, err := s.git.run(s.gitDir(r), nil, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags")
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if sha, name, found := strings.Cut(line, " "); found {
			refs[name] = sha
		}
	}
	return refs, nil
}
