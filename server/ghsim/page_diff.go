package ghsim

import (
	"fmt"
	"strings"
)

// emptyTree is the hash of a tree without entries, in every repository: what a first commit is compared with.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Diff lists the files that differ between two commits, with their patches. from "" compares with nothing.
func (s *Sim) Diff(repo Repo, from, to string) ([]FileChange, error) {
	base := emptyTree
	if from != "" {
		found := false
		if base, found = s.Resolve(repo, from); !found {
			return nil, fmt.Errorf("%s has no %q", repo.FullName(), from)
		}
	}
	out, err := s.gitAt(repo, to, func(r *repository, sha string) ([]byte, error) {
		return s.git.run(s.gitDir(r), nil, "diff", "--raw", "--numstat", "--patch", "-z", "--no-renames", "--no-color", "--abbrev=40", base, sha)
	})
	if err != nil {
		return nil, fmt.Errorf("diff %s..%s: %w", from, to, err)
	}
	return parseDiff(string(out)), nil
}

// parseDiff reads the raw list, the line counts and the patches, which git prints in this order and each in the order of
// the files. With -z the fields of the lists end in NULs, and an empty one stands before the patches.
func parseDiff(out string) []FileChange {
	lists, patches, _ := strings.Cut(out, "\x00\x00")
	files, at, owner := []FileChange{}, map[string]int{}, []int{}
	fields := strings.Split(strings.TrimRight(lists, "\x00"), "\x00")
	for n := 0; n < len(fields); n++ {
		if strings.HasPrefix(fields[n], ":") && n+1 < len(fields) {
			at[fields[n+1]], owner = len(files), append(owner, len(files))
			if strings.HasSuffix(fields[n], " T") { // a link became a file: git prints two patches, one removes, one adds
				owner = append(owner, len(files))
			}
			files = append(files, rawChange(fields[n], fields[n+1]))
			n++
			continue
		}
		if parts := strings.SplitN(fields[n], "\t", 3); len(parts) == 3 {
			f := &files[at[parts[2]]]
			f.Additions, f.Deletions = lineCount(parts[0]), lineCount(parts[1])
		}
	}
	for n, patch := range splitPatches(patches) {
		if n < len(owner) {
			f := &files[owner[n]]
			f.Patch = strings.TrimPrefix(f.Patch+"\n"+patch, "\n")
		}
	}
	return files
}

// splitPatches gives the hunks of each file, "" for one without any. Lines of a hunk begin with a sign, so a line that
// begins with "diff --git " is always a header.
func splitPatches(text string) []string {
	if text == "" {
		return nil
	}
	var out []string
	for _, part := range strings.Split("\n"+text, "\ndiff --git ")[1:] {
		_, hunks, found := strings.Cut(part, "\n@@ ")
		if found {
			hunks = "@@ " + hunks
		}
		out = append(out, strings.TrimRight(hunks, "\n"))
	}
	return out
}
