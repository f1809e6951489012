package ghsim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pull is what makes an issue a pull request. Head and base are branches of the same repository.
type pull struct {
	head, headSHA string
	base, baseSHA string // baseSHA is the base's tip when the head was last pushed
	forkPoint     string // of head from base: the diff begins there
	draft, merged bool
	mergedAt      time.Time
	mergedBy      *user
	mergeSHA      string // the commit that the merge made
	stats         pullStats
	test          *testMerge // nil: not looked at since head or base moved
}

type pullStats struct{ commits, additions, deletions, files int }

func pullRoutes() []route {
	const one = "/repos/{owner}/{repo}/pulls/{pull_number}"
	return []route{
		{pattern: "GET /repos/{owner}/{repo}/pulls", docs: "pulls/pulls#list-pull-requests", needs: "pull_requests=read", role: roleRead, run: listPulls},
		{pattern: "POST /repos/{owner}/{repo}/pulls", docs: "pulls/pulls#create-a-pull-request", needs: "pull_requests=write,contents=read",
			role: roleWrite, refs: true, run: createPull},
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

// getPull says null for mergeable at first, and looks meanwhile: the next read knows.
func getPull(c *call, i *issue) reply {
	answer := ok(c.pullJSON(i))
	if err := c.testMerge(i); err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
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
	return !qualified || strings.EqualFold(owner, c.repo.owner.login) && branch == i.pull.head
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

// pullsFollow moves the open pull requests of a branch that moved: new commits at their head, or a head that is gone; a
// base that moved, and may contain the head now.
func (s *Sim) pullsFollow(r *repository, c refChange, actor *user) error {
	branch := c.branch()
	if branch == "" {
		return nil
	}
	for _, i := range r.openPulls(func(p *pull) bool { return p.head == branch }) {
		if err := s.headMoved(i, c, actor); err != nil {
			return err
		}
	}
	onBase := r.openPulls(func(p *pull) bool { return p.base == branch })
	if c.new == zeroSHA {
		for _, i := range onBase {
			s.closeIssue(i, actor, "") // nothing to merge into
		}
		return nil
	}
	if len(onBase) == 0 {
		return nil
	}
	contained, err := s.headsWithin(r, c.new)
	if err != nil {
		return err
	}
	for _, i := range onBase {
		i.pull.test = nil
		if contained[i.number] {
			s.markMerged(i, i.pull.headSHA, actor)
			s.closeIssue(i, actor, "")
		}
	}
	return nil
}

func (r *repository) openPulls(which func(*pull) bool) []*issue {
	return slices.DeleteFunc(r.pulls(), func(i *issue) bool { return i.state != "open" || !which(i.pull) })
}

// headsWithin are the pull requests, by number, whose head is part of a commit's history.
func (s *Sim) headsWithin(r *repository, sha string) (map[int]bool, error) {
	out, err := s.gitLine(r, "for-each-ref", "--format=%(refname)", "--merged="+sha, "refs/pull/*/head")
	if err != nil {
		return nil, fmt.Errorf("pull requests that %s contains: %w", sha, err)
	}
	numbers := map[int]bool{}
	for _, ref := range strings.Fields(out) {
		if n, err := strconv.Atoi(strings.Split(ref, "/")[2]); err == nil {
			numbers[n] = true
		}
	}
	return numbers, nil
}

func (s *Sim) headMoved(i *issue, c refChange, actor *user) error {
	if c.new == zeroSHA {
		s.closeIssue(i, actor, "")
		return nil
	}
	i.pull.headSHA, i.updated = c.new, s.now()
	if err := s.measure(i); err != nil {
		return err
	}
	s.emitPull(i, "synchronize", obj{"before": c.old, "after": c.new}, actor)
	return nil
}

// measure computes what depends on head and base, and keeps the head under refs/pull, where it outlives its branch.
func (s *Sim) measure(i *issue) error {
	p, r := i.pull, i.repo
	p.baseSHA, p.test = r.refs["refs/heads/"+p.base], nil
	var err error
	if p.forkPoint, err = s.gitLine(r, "merge-base", p.baseSHA, p.headSHA); err != nil {
		return fmt.Errorf("pull request #%d: %s and %s have no commit in common: %w", i.number, p.base, p.head, err)
	}
	if p.stats, err = s.statsOf(i); err != nil {
		return fmt.Errorf("pull request #%d: %w", i.number, err)
	}
	return s.updateRef(r, fmt.Sprintf("refs/pull/%d/head", i.number), p.headSHA, "")
}
