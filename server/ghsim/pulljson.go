package ghsim

import (
	"strconv"
)

func (s *Sim) pullAPI(i *issue) string { return s.repoAPI(i.repo) + "/pulls/" + strconv.Itoa(i.number) }

// pullSimpleJSON is a pull request in lists.
func (s *Sim) pullSimpleJSON(i *issue) obj {
	api, html, p := s.pullAPI(i), s.issueWeb(i), i.pull
	statuses := s.repoAPI(i.repo) + "/statuses/" + p.headSHA
	comment := s.repoAPI(i.repo) + "/pulls/comments{/number}"
	out := obj{
		"url": api, "id": i.id, "node_id": nodeID("PR", i.id), "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch",
		"issue_url": s.issueAPI(i), "number": i.number, "state": i.state, "locked": false, "title": i.title, "user": s.userJSON(i.user),
		"body": textOrNull(i.body), "created_at": stamp(i.created), "updated_at": stamp(i.updated), "closed_at": stampOrNull(i.closed),
		"merged_at": stampOrNull(p.mergedAt), "merge_commit_sha": textOrNull(p.commitSHA()), "assignee": nil, "assignees": []obj{},
		"requested_reviewers": s.askedUsers(i), "requested_teams": s.askedTeams(i), "labels": s.labelsJSON(i), "milestone": nil, "draft": p.draft,
		"commits_url": api + "/commits", "review_comments_url": api + "/comments", "review_comment_url": comment,
		"comments_url": s.issueAPI(i) + "/comments", "statuses_url": statuses, "head": s.headSide(i), "base": s.side(i, p.base, p.baseSHA),
		"author_association": i.repo.association(i.user), "auto_merge": s.autoMergeJSON(i), "active_lock_reason": nil,
	}
	out["_links"] = obj{
		"self": href(api), "html": href(html), "issue": href(s.issueAPI(i)), "comments": href(s.issueAPI(i) + "/comments"),
		"review_comments": href(api + "/comments"), "review_comment": href(comment), "commits": href(api + "/commits"), "statuses": href(statuses),
	}
	return out
}

func href(url string) obj { return obj{"href": url} }

// commitSHA is the commit of the merge, before it that of the test merge, "" while unknown.
func (p *pull) commitSHA() string {
	if p.merged {
		return p.mergeSHA
	}
	if p.test != nil {
		return p.test.sha
	}
	return ""
}

func (s *Sim) side(i *issue, branch, sha string) obj {
	return obj{
		"label": i.repo.owner.login + ":" + branch, "ref": branch, "sha": sha, "user": s.userJSON(i.repo.owner), "repo": s.repoJSON(i.repo),
	}
}

// headSide has no repository once the fork was deleted.
func (s *Sim) headSide(i *issue) obj {
	out := s.side(i, i.pull.head, i.pull.headSHA)
	if i.pull.fork != 0 {
		out["label"], out["user"], out["repo"] = i.headOwner()+":"+i.pull.head, s.userOrNull(s.account(i.pull.forkOwner)), nil
		if fork := s.headRepo(i); fork != nil {
			out["repo"] = s.repoJSON(fork)
		}
	}
	return out
}

// pullJSON is a pull request by itself and in payloads.
func (s *Sim) pullJSON(i *issue) obj {
	p := i.pull
	var mergeable, rebaseable any
	if p.test != nil && i.state == "open" {
		mergeable, rebaseable = p.test.clean, p.test.clean
	}
	return merged(s.pullSimpleJSON(i), obj{
		"merged": p.merged, "mergeable": mergeable, "rebaseable": rebaseable, "mergeable_state": s.mergeableState(i), "merged_by": s.userOrNull(p.mergedBy),
		"comments": len(i.comments), "review_comments": 0, "maintainer_can_modify": false, "commits": p.stats.commits,
		"additions": p.stats.additions, "deletions": p.stats.deletions, "changed_files": p.stats.files,
	})
}

// pullsAt is how check runs and suites name the open pull requests of their commit.
func (s *Sim) pullsAt(r *repository, sha string) []obj {
	out := []obj{}
	repo := obj{"id": r.id, "url": s.repoAPI(r), "name": r.name}
	for _, i := range r.pulls() {
		if i.state == "open" && i.pull.fork == 0 && i.pull.headSHA == sha {
			out = append(out, obj{
				"url": s.pullAPI(i), "id": i.id, "number": i.number, "head": obj{"ref": i.pull.head, "sha": i.pull.headSHA, "repo": repo},
				"base": obj{"ref": i.pull.base, "sha": i.pull.baseSHA, "repo": repo},
			})
		}
	}
	return out
}
