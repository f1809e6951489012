package ghsim

import (
	"errors"
	"net/http"
	"time"
)

func pullMoreRoutes() []route {
	const one = "/repos/{owner}/{repo}/pulls/{pull_number}"
	return []route{
		{pattern: "GET " + one + "/commits", docs: "pulls/pulls#list-commits-on-a-pull-request", needs: "pull_requests=read", role: roleRead, run: withPull(listPullCommits)},
		{pattern: "GET " + one + "/merge", docs: "pulls/pulls#check-if-a-pull-request-has-been-merged", needs: "contents=read", role: roleRead, run: withPull(isMerged)},
		{pattern: "PUT " + one + "/update-branch", docs: "pulls/pulls#update-a-pull-request-branch", needs: "contents=write", role: roleWrite, refs: true,
			run: withPull(updateBranch)},
	}
}

// maxPullCommits is how many commits of a pull request are listed.
const maxPullCommits = 250

func listPullCommits(c *call, i *issue) reply {
	commits, err := c.logOf(i.repo, "--reverse", i.pull.forkPoint+".."+i.pull.headSHA)
	if err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	return list(c, commits[:min(len(commits), maxPullCommits)], func(commit Commit) obj { return c.commitJSON(i.repo, commit) })
}

func isMerged(_ *call, i *issue) reply {
	if !i.pull.merged {
		return notFound()
	}
	return noContent()
}

// updateBranch merges the base into the head. GitHub does it a moment after the answer, here it is done when it is answered.
func updateBranch(c *call, i *issue) reply {
	var in struct {
		Expected string `json:"expected_head_sha"`
	}
	tip := c.repo.refs["refs/heads/"+i.pull.base]
	switch {
	case !c.decode(&in):
		return badJSON()
	case i.pull.fork != 0:
		return fail(http.StatusForbidden, "The branch of a fork is its owner's to update.")
	case i.state != "open":
		return fail(http.StatusUnprocessableEntity, "Cannot update a closed pull request.")
	case in.Expected != "" && in.Expected != i.pull.headSHA:
		return fail(http.StatusUnprocessableEntity, "expected head sha didn’t match current head ref.")
	case c.contains(c.repo, i.pull.headSHA, tip):
		return fail(http.StatusUnprocessableEntity, "There are no new commits on the base branch.")
	}
	err := c.mergeBase(i, tip)
	if errors.Is(err, errConflict) {
		return fail(http.StatusUnprocessableEntity, "merge conflict between base and head")
	}
	if err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	return reply{status: http.StatusAccepted, body: obj{"message": "Updating pull request branch.", "url": c.pullAPI(i)}}
}

// mergeBase puts a merge of the base's tip on top of the head branch.
func (c *call) mergeBase(i *issue, tip string) error {
	tree, err := c.mergeTree(c.repo, i.pull.headSHA, tip)
	if err != nil {
		return err
	}
	message := "Merge branch '" + i.pull.base + "' into " + i.pull.head
	sha, err := c.commitTree(c.repo, tree, message, c.signatureOf(c.who.actor()), c.site(), i.pull.headSHA, tip)
	if err != nil {
		return err
	}
	if err := c.updateRef(c.repo, "refs/heads/"+i.pull.head, sha, i.pull.headSHA); err != nil {
		return err
	}
	return c.refsChanged(c.repo, c.who.actor())
}

// SetMergeableDelay sets how long GitHub's job that finds out whether a pull request can be merged takes, from the first read
// after head or base moved, by Options.Clock. Until then mergeable is null. 0: the next read knows.
func (s *Sim) SetMergeableDelay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mergeableDelay = d
}

// lookAtMerge runs that job when it is due.
func (s *Sim) lookAtMerge(i *issue) error {
	if i.pull.testDue.IsZero() {
		i.pull.testDue = s.opts.Clock().Add(s.mergeableDelay)
	}
	if s.opts.Clock().Before(i.pull.testDue) {
		return nil
	}
	return s.testMerge(i)
}
