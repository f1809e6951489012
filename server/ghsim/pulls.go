package ghsim

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// pull is what makes an issue a pull request.
type pull struct {
	head, headSHA string
	fork          int64  // ID of the repository that has the head, 0 for the same
	forkOwner     string // login
	base, baseSHA string // baseSHA is the base's tip when the head was last pushed
	forkPoint     string // of head from base: the diff begins there
	draft, merged bool
	mergedAt      time.Time
	mergedBy      *user
	mergeSHA      string // the commit that the merge made
	stats         pullStats
	test          *testMerge  // nil: not looked at since head or base moved
	testDue       time.Time   // when the look ends; zero: it has not begun
	reviews       []*Review   // oldest first
	auto          *autoMerge  // nil: nobody wishes it
	queued        *queueEntry // nil: not in the merge queue
	lastPusher    string      // login of who moved the head last
	asked         []string    // logins of requested reviewers
	askedTeams    []int64     // IDs of requested teams
}

type pullStats struct{ commits, additions, deletions, files int }

func pullRoutes() []route {
	const one = "/repos/{owner}/{repo}/pulls/{pull_number}"
	return []route{
		{pattern: "GET /repos/{owner}/{repo}/pulls", docs: "pulls/pulls#list-pull-requests", needs: "pull_requests=read", role: roleRead, run: listPulls},
		{pattern: "POST /repos/{owner}/{repo}/pulls", docs: "pulls/pulls#create-a-pull-request", needs: "pull_requests=write",
			role: roleRead, refs: true, run: createPull},
		{pattern: "GET " + one, docs: "pulls/pulls#get-a-pull-request", needs: "pull_requests=read", role: roleRead, run: withPull(getPull)},
		{pattern: "PATCH " + one, docs: "pulls/pulls#update-a-pull-request", needs: "pull_requests=write", role: roleRead, refs: true, run: withPull(updatePull)},
		{pattern: "PUT " + one + "/merge", docs: "pulls/pulls#merge-a-pull-request", needs: "contents=write", role: roleWrite, refs: true, run: withPull(mergePull)},
		{pattern: "GET " + one + "/files", docs: "pulls/pulls#list-pull-requests-files", needs: "pull_requests=read", role: roleRead, run: withPull(listPullFiles)},
		{pattern: "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls", docs: "commits/commits#list-pull-requests-associated-with-a-commit",
			needs: "pull_requests=read", role: roleRead, run: pullsOfCommit},
	}
}

func withPull(run func(*call, *issue) reply) func(*call) reply {
	return func(c *call) reply {
		i := c.repo.issues[int(c.id("pull_number"))]
		if i == nil || i.pull == nil {
			return notFound()
		}
		return run(c, i)
	}
}

// getPull says null for mergeable at first, and looks meanwhile: a later read knows.
func getPull(c *call, i *issue) reply {
	asked := !i.pull.testDue.IsZero()
	answer := ok(c.pullJSON(i))
	if err := c.lookAtMerge(i); err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	if asked {
		answer = ok(c.pullJSON(i))
	}
	return answer
}

func (r *repository) pulls() []*issue {
	var all []*issue
	for _, i := range r.issues {
		if i.pull != nil {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b *issue) int { return b.number - a.number })
	return all
}

func listPulls(c *call) reply {
	found := slices.DeleteFunc(c.repo.pulls(), func(i *issue) bool { return !c.pullListed(i) })
	if c.query("sort") != "" || c.query("direction") != "" {
		sortIssues(found, c.query("sort"), c.query("direction"))
	}
	return list(c, found, c.pullSimpleJSON)
}

// pullListed applies the filters: state, head as OWNER:BRANCH, base. A head without its owner is ignored, as on GitHub.
func (c *call) pullListed(i *issue) bool {
	state, head, base := c.query("state"), c.query("head"), c.query("base")
	if state == "" {
		state = "open"
	}
	if state != "all" && i.state != state || base != "" && i.pull.base != base {
		return false
	}
	owner, branch, qualified := strings.Cut(head, ":")
	return !qualified || strings.EqualFold(owner, i.headOwner()) && branch == i.pull.head
}

func pullsOfCommit(c *call) reply {
	sha := c.commitOf(c.repo, c.path("commit_sha"))
	if sha == "" {
		return failf(http.StatusUnprocessableEntity, "No commit found for SHA: %s", c.path("commit_sha"))
	}
	tip := c.repo.refs["refs/heads/"+c.repo.defaultBranch]
	onDefault := tip != "" && c.contains(c.repo, tip, sha)
	found := slices.DeleteFunc(c.repo.pulls(), func(i *issue) bool {
		return onDefault && !i.pull.merged || !c.brings(i, sha)
	})
	return list(c, found, c.pullSimpleJSON)
}

// brings says whether the commit is one of the pull request's, or what its merge made.
func (s *Sim) brings(i *issue, sha string) bool {
	p := i.pull
	if sha == p.mergeSHA || sha == p.headSHA {
		return true
	}
	return s.contains(i.repo, p.headSHA, sha) && !s.contains(i.repo, p.forkPoint, sha)
}
