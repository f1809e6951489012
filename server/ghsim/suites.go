package ghsim

import (
	"fmt"
	"time"
)

// checkSuite is what one App reports on one commit. A push makes one for each App with checks: write.
type checkSuite struct {
	id            int64
	app           *app
	repo          *repository
	sha, branch   string
	before        string
	created, last time.Time
	asked         bool // again, and not answered yet
}

// suiteFor finds or makes the suite of an App on a commit.
func (s *Sim) suiteFor(a *app, r *repository, sha string) *checkSuite {
	for _, suite := range r.suites {
		if suite.app == a && suite.sha == sha {
			return suite
		}
	}
	suite := &checkSuite{id: s.nextID(), app: a, repo: r, sha: sha, branch: r.branchAt(sha), before: zeroSHA, created: s.now(), last: s.now()}
	r.suites[suite.id] = suite
	return suite
}

// branchAt is a branch whose tip is the commit, preferring the default branch; "" for none.
func (r *repository) branchAt(sha string) string {
	if r.refs["refs/heads/"+r.defaultBranch] == sha {
		return r.defaultBranch
	}
	for _, ref := range sortedKeys(r.refs) {
		if change := (refChange{ref: ref}); r.refs[ref] == sha && change.branch() != "" {
			return change.branch()
		}
	}
	return ""
}

// requestSuites makes a suite for every App that may write checks, when a branch got a new tip.
func (s *Sim) requestSuites(r *repository, c refChange, actor *user) {
	if c.branch() == "" || c.new == zeroSHA {
		return
	}
	for _, inst := range s.installedOn(r) {
		if inst.permissions["checks"] != "write" || r.hasSuite(inst.app, c.new) {
			continue
		}
		suite := s.suiteFor(inst.app, r, c.new)
		suite.branch, suite.before = c.branch(), c.old
		s.emitSuite(suite, "requested", actor)
	}
}

func (r *repository) hasSuite(a *app, sha string) bool {
	for _, suite := range r.suites {
		if suite.app == a && suite.sha == sha {
			return true
		}
	}
	return false
}

// state sums up the runs: queued without any, completed when all are, with the worst conclusion.
func (suite *checkSuite) state() (status, conclusion string) {
	worst := []string{"failure", "timed_out", "cancelled", "action_required", "success", "neutral", "skipped"}
	rank, runs := len(worst), 0
	if suite.asked {
		return "queued", ""
	}
	for _, run := range suite.repo.runs {
		if run.suite != suite {
			continue
		}
		runs++
		if run.status != "completed" {
			return run.status, ""
		}
		for i, name := range worst {
			if name == run.conclusion {
				rank = min(rank, i)
			}
		}
	}
	if runs == 0 {
		return "queued", ""
	}
	return "completed", worst[rank]
}

// settleSuite tells that a suite is completed when its last run is.
func (s *Sim) settleSuite(suite *checkSuite, actor *user) {
	suite.last = s.now()
	if status, _ := suite.state(); status == "completed" {
		s.emitSuite(suite, "completed", actor)
	}
}

// suiteJSON is a suite inside a check run's payload.
func (s *Sim) suiteJSON(suite *checkSuite) obj {
	status, conclusion := suite.state()
	return obj{
		"id": suite.id, "node_id": nodeID("CS", suite.id), "head_branch": textOrNull(suite.branch), "head_sha": suite.sha, "status": status,
		"conclusion": textOrNull(conclusion), "url": fmt.Sprintf("%s/check-suites/%d", s.repoAPI(suite.repo), suite.id),
		"before": suite.before, "after": suite.sha, "pull_requests": s.pullsAt(suite.repo, suite.sha), "app": s.appJSON(suite.app),
		"created_at": stamp(suite.created), "updated_at": stamp(suite.last),
	}
}
