package ghsim

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// FileChange is one file that a pull request changes.
type FileChange struct {
	Path string
	// Status is added, removed or modified.
	Status               string
	Additions, Deletions int
	// Patch is the unified diff without the file header; empty for binary files.
	Patch string
	blob  string
}

// statsOf counts commits, files and lines of a pull request.
func (s *Sim) statsOf(i *issue) (pullStats, error) {
	var st pullStats
	count, err := s.gitLine(i.repo, "rev-list", "--count", i.pull.forkPoint+".."+i.pull.headSHA)
	if err != nil {
		return st, err
	}
	if st.commits, err = strconv.Atoi(count); err != nil {
		return st, fmt.Errorf("git rev-list --count printed %q", count)
	}
	files, err := s.changedFiles(i)
	for _, f := range files {
		st.files++
		st.additions += f.Additions
		st.deletions += f.Deletions
	}
	return st, err
}

// changedFiles lists the files between fork point and head, with their line counts but without patches.
func (s *Sim) changedFiles(i *issue) ([]FileChange, error) {
	out, err := s.git.run(s.gitDir(i.repo), nil, "diff", "--raw", "--numstat", "--no-renames", "--abbrev=40", "-z", i.pull.forkPoint, i.pull.headSHA)
	if err != nil {
		return nil, err
	}
	var files []FileChange
	byPath := map[string]int{}
	fields := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	for n := 0; n < len(fields); n++ {
		if strings.HasPrefix(fields[n], ":") && n+1 < len(fields) {
			byPath[fields[n+1]] = len(files)
			files = append(files, rawChange(fields[n], fields[n+1]))
			n++
			continue
		}
		if parts := strings.SplitN(fields[n], "\t", 3); len(parts) == 3 {
			f := &files[byPath[parts[2]]]
			f.Additions, f.Deletions = lineCount(parts[0]), lineCount(parts[1])
		}
	}
	return files, nil
}

// rawChange reads ":100644 100644 OLD NEW M", the form of git diff --raw.
func rawChange(line, path string) FileChange {
	f := strings.Fields(line)
	status := map[string]string{"A": "added", "D": "removed"}[f[4]]
	blob := f[3]
	if status == "" {
		status = "modified"
	}
	if status == "removed" {
		blob = f[2]
	}
	return FileChange{Path: path, Status: status, blob: blob}
}

// lineCount reads a number of --numstat, which is "-" for binary files.
func lineCount(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// patch is the diff of one file without its header.
func (s *Sim) patch(i *issue, path string) (string, error) {
	out, err := s.git.run(s.gitDir(i.repo), nil, "diff", "--no-renames", "--no-color", i.pull.forkPoint, i.pull.headSHA, "--", ":(literal)"+path)
	if err != nil {
		return "", err
	}
	at := strings.Index(string(out), "\n@@ ")
	if at < 0 {
		return "", nil
	}
	return strings.TrimRight(string(out)[at+1:], "\n"), nil
}

func listPullFiles(c *call, i *issue) reply {
	files, err := c.changedFiles(i)
	if err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	part, link := page(c, files)
	out := []obj{}
	for _, f := range part {
		if f.Patch, err = c.patch(i, f.Path); err != nil {
			return failf(http.StatusInternalServerError, "%v", err)
		}
		out = append(out, c.fileJSON(i, f))
	}
	return linked(ok(out), link)
}

func (s *Sim) fileJSON(i *issue, f FileChange) obj {
	path := (&url.URL{Path: f.Path}).EscapedPath()
	out := obj{
		"sha": f.blob, "filename": f.Path, "status": f.Status, "additions": f.Additions, "deletions": f.Deletions, "changes": f.Additions + f.Deletions,
		"blob_url": s.repoWeb(i.repo) + "/blob/" + i.pull.headSHA + "/" + path, "raw_url": s.repoWeb(i.repo) + "/raw/" + i.pull.headSHA + "/" + path,
		"contents_url": s.repoAPI(i.repo) + "/contents/" + path + "?ref=" + i.pull.headSHA,
	}
	if f.Patch != "" {
		out["patch"] = f.Patch
	}
	return out
}
