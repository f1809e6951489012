package ghsim

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
)

type mergeInput struct {
	SHA     string `json:"sha"`
	Method  string `json:"merge_method"`
	Title   string `json:"commit_title"`
	Message string `json:"commit_message"`
}

// errConflict says that two sides changed the same lines.
var errConflict = errors.New("merge conflict")

func mergePull(c *call, i *issue) reply {
	in := mergeInput{Method: "merge"}
	if !c.decode(&in) {
		return badJSON()
	}
	return c.mergeNow(i, in)
}

// mergeNow merges as the caller, if that is allowed. It runs under the push lock.
func (c *call) mergeNow(i *issue, in mergeInput) reply {
	if refused := c.refuseMerge(i, in); refused != nil {
		return *refused
	}
	sha, err := c.makeMerge(i, in)
	switch {
	case errors.Is(err, errConflict) && in.Method == "rebase":
		return fail(http.StatusMethodNotAllowed, "This branch can't be rebased")
	case errors.Is(err, errConflict):
		return fail(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	case err != nil:
		return failf(http.StatusInternalServerError, "%v", err)
	}
	if err := c.updateRef(c.repo, "refs/heads/"+i.pull.base, sha, c.repo.refs["refs/heads/"+i.pull.base]); err != nil {
		return fail(http.StatusMethodNotAllowed, "Base branch was modified. Review and try the merge again.")
	}
	if err := c.landed(i, sha); err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	return ok(obj{"sha": sha, "merged": true, "message": "Pull Request successfully merged"})
}

var methodNames = map[string]string{"merge": "Merge commits", "squash": "Squash merges", "rebase": "Rebase merges"}

func (c *call) refuseMerge(i *issue, in mergeInput) *reply {
	var r reply
	switch {
	case methodNames[in.Method] == "":
		r = invalid(fieldError{Resource: "PullRequest", Field: "merge_method", Code: "invalid", Value: in.Method})
	case i.state != "open":
		r = fail(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	case i.pull.draft:
		r = fail(http.StatusMethodNotAllowed, "Pull Request is still a draft")
	case in.SHA != "" && in.SHA != i.pull.headSHA:
		r = fail(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	case !slices.Contains(c.repo.methods, in.Method):
		r = fail(http.StatusMethodNotAllowed, methodNames[in.Method]+" are not allowed on this repository.")
	default:
		return c.refuseByRules(i, in.Method, c.who.actor())
	}
	return &r
}

// landed records the merge, moves everything that follows the base branch, and closes the pull request.
func (c *call) landed(i *issue, sha string) error {
	actor := c.who.actor()
	c.markMerged(i, sha, actor)
	if err := c.refsChanged(c.repo, actor); err != nil {
		return err
	}
	c.closeIssue(i, actor, "")
	c.closeNamed(i)
	if !c.repo.deleteHead || i.pull.fork != 0 {
		return nil
	}
	if err := c.deleteRef(c.repo, "refs/heads/"+i.pull.head, i.pull.headSHA); err != nil {
		return fmt.Errorf("delete the head branch: %w", err)
	}
	return c.refsChanged(c.repo, actor)
}

func (s *Sim) markMerged(i *issue, sha string, by *user) {
	i.pull.merged, i.pull.mergedAt, i.pull.mergedBy, i.pull.mergeSHA = true, s.now(), by, sha
	i.state = "closed" // before the base's push is looked at, so that it is not merged twice
}

var closingWords = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #(\d+)`)

// closeNamed closes the issues that the body names with a closing keyword; only a merge into the default branch does.
func (c *call) closeNamed(i *issue) {
	if i.pull.base != c.repo.defaultBranch {
		return
	}
	for _, m := range closingWords.FindAllStringSubmatch(i.body, -1) {
		n, err := strconv.Atoi(m[1])
		if named := c.repo.issues[n]; err == nil && named != nil && named.state == "open" {
			c.closeIssue(named, c.who.actor(), "completed")
		}
	}
}

// makeMerge writes the commits of the merge on top of the base's tip, and gives the last one.
func (c *call) makeMerge(i *issue, in mergeInput) (string, error) {
	tip := c.repo.refs["refs/heads/"+i.pull.base]
	by := c.signatureOf(c.who.actor())
	if in.Method == "rebase" {
		return c.rebaseOnto(i, tip, by)
	}
	tree, err := c.mergeTree(c.repo, tip, i.pull.headSHA)
	if err != nil {
		return "", err
	}
	message, err := c.mergeMessage(i, in)
	if err != nil {
		return "", err
	}
	parents := []string{tip, i.pull.headSHA}
	if in.Method == "squash" {
		parents, by = parents[:1], c.signatureOf(i.user) // a squash is the work of who opened it
	}
	return c.commitTree(c.repo, tree, message, by, c.site(), parents...)
}
