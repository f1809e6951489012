package ghsim

import (
	"fmt"
	"slices"
	"strings"
)

// maxTagEvents is how many tags one push may move and still give events; with more GitHub sends none for tags.
const maxTagEvents = 3

// emitPush tells of one ref that a push moved, of several in the same push. Then every App that may write checks
// gets its suite.
func (s *Sim) emitPush(r *repository, c refChange, before map[string]string, all int, actor *user) error {
	if c.branch() == "" && all > maxTagEvents {
		return nil
	}
	commits, err := s.pushedCommits(r, c, before)
	if err != nil {
		return err
	}
	listed := []obj{}
	for _, commit := range commits {
		listed = append(listed, s.pushCommit(r, commit))
	}
	head, err := s.headCommit(r, c)
	if err != nil {
		return err
	}
	s.emit(event{name: "push", repo: r, actor: actor, body: obj{
		"ref": c.ref, "before": c.old, "after": c.new, "created": c.old == zeroSHA, "deleted": c.new == zeroSHA, "forced": s.forced(r, c),
		"base_ref": nil, "compare": s.compareWeb(r, c), "commits": listed, "head_commit": head,
		"pusher": obj{"name": actor.login, "email": actor.email()}, "repository": s.pushRepository(r),
	}})
	s.requestSuites(r, c, actor)
	return nil
}

// headCommit is the commit that the ref points to now, null when it is gone.
func (s *Sim) headCommit(r *repository, c refChange) (any, error) {
	if c.new == zeroSHA {
		return nil, nil
	}
	commits, err := s.logOf(r, "--max-count=1", c.new)
	if err != nil {
		return nil, fmt.Errorf("head commit of the push to %s: %w", c.ref, err)
	}
	return s.pushCommit(r, commits[0]), nil
}

func (s *Sim) forced(r *repository, c refChange) bool {
	return c.old != zeroSHA && c.new != zeroSHA && c.branch() != "" && !s.contains(r, c.new, c.old)
}

func (s *Sim) compareWeb(r *repository, c refChange) string {
	switch {
	case c.old == zeroSHA:
		return s.repoWeb(r) + "/compare/" + strings.TrimPrefix(strings.TrimPrefix(c.ref, "refs/heads/"), "refs/tags/")
	default:
		return s.repoWeb(r) + "/compare/" + c.old[:12] + "..." + c.new[:12]
	}
}

func (s *Sim) pushCommit(r *repository, c Commit) obj {
	return obj{
		"id": c.SHA, "tree_id": c.Tree, "distinct": true, "message": c.Message, "timestamp": stamp(c.Committer.When),
		"url": s.repoWeb(r) + "/commit/" + c.SHA, "author": s.pushSignature(c.Author), "committer": s.pushSignature(c.Committer),
		"added": nonNil(c.Added), "removed": nonNil(c.Removed), "modified": nonNil(c.Modified),
	}
}

// pushSignature names the account behind an address, where there is one.
func (s *Sim) pushSignature(sig Signature) obj {
	out := obj{"name": sig.Name, "email": sig.Email}
	if u := s.userByEmail(sig.Email); u != nil {
		out["username"] = u.login
	}
	if sig.Email == s.site().Email {
		out["username"] = "web-flow"
	}
	return out
}

// pushRepository is the repository in push payloads, which has a form of its own: times in seconds, the web URL, an
// owner with name and address.
func (s *Sim) pushRepository(r *repository) obj {
	out := merged(s.repoJSON(r), obj{
		"owner": merged(s.userJSON(r.owner), obj{"name": r.owner.login, "email": r.owner.email()}), "url": s.repoWeb(r),
		"created_at": r.created.Unix(), "pushed_at": r.pushed.Unix(), "stargazers": 0, "master_branch": r.defaultBranch,
	})
	if r.owner.kind == "Organization" {
		out["organization"] = r.owner.login
	}
	return out
}

// runPayload is a check run in payloads: with its whole suite.
func (s *Sim) runPayload(run *checkRun) obj {
	return merged(s.runJSON(run), obj{"check_suite": s.suiteJSON(run.suite)})
}

// suitePayload is a check suite in its own events.
func (s *Sim) suitePayload(suite *checkSuite) obj {
	api := fmt.Sprintf("%s/check-suites/%d", s.repoAPI(suite.repo), suite.id)
	runs := 0
	for _, run := range suite.repo.runs {
		if run.suite == suite {
			runs++
		}
	}
	out := merged(s.suiteJSON(suite), obj{"latest_check_runs_count": runs, "check_runs_url": api + "/check-runs", "rerequestable": true, "runs_rerequestable": true})
	if commits, err := s.logOf(suite.repo, "--max-count=1", suite.sha); err == nil && len(commits) == 1 {
		c := s.pushCommit(suite.repo, commits[0])
		out["head_commit"] = obj{"id": c["id"], "tree_id": c["tree_id"], "message": c["message"], "timestamp": c["timestamp"],
			"author": plainSignature(commits[0].Author), "committer": plainSignature(commits[0].Committer)}
	}
	return out
}

func plainSignature(sig Signature) obj { return obj{"name": sig.Name, "email": sig.Email} }

// hasAction says whether the run shows a button with that identifier.
func (run *checkRun) hasAction(identifier string) bool {
	return slices.ContainsFunc(run.actions, func(a CheckAction) bool { return a.Identifier == identifier })
}
