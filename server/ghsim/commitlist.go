package ghsim

import (
	"cmp"
	"net/http"
)

// maxListedCommits is how far a list of commits goes back here.
const maxListedCommits = "1000"

// listCommits lists the commits of a branch, tag or commit, newest first. An empty repository is a conflict.
func listCommits(c *call) reply {
	if len(c.repo.refs) == 0 {
		return fail(http.StatusConflict, "Git Repository is empty.")
	}
	ref := cmp.Or(c.query("sha"), c.repo.defaultBranch)
	sha := c.commitOf(c.repo, ref)
	if sha == "" {
		return notFound()
	}
	commits, err := c.logOf(c.repo, "--max-count="+maxListedCommits, sha)
	if err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	return list(c, commits, func(commit Commit) obj { return c.commitJSON(c.repo, commit) })
}
