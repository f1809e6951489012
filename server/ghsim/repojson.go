package ghsim

import (
	"slices"
	"strings"
)

// repoLinks are the URL templates below a repository's API address.
var repoLinks = map[string]string{
	"forks_url": "/forks", "keys_url": "/keys{/key_id}", "collaborators_url": "/collaborators{/collaborator}", "teams_url": "/teams",
	"hooks_url": "/hooks", "issue_events_url": "/issues/events{/number}", "events_url": "/events", "assignees_url": "/assignees{/user}",
	"branches_url": "/branches{/branch}", "tags_url": "/tags", "blobs_url": "/git/blobs{/sha}", "git_tags_url": "/git/tags{/sha}",
	"git_refs_url": "/git/refs{/sha}", "trees_url": "/git/trees{/sha}", "statuses_url": "/statuses/{sha}", "languages_url": "/languages",
	"stargazers_url": "/stargazers", "contributors_url": "/contributors", "subscribers_url": "/subscribers", "subscription_url": "/subscription",
	"commits_url": "/commits{/sha}", "git_commits_url": "/git/commits{/sha}", "comments_url": "/comments{/number}",
	"issue_comment_url": "/issues/comments{/number}", "contents_url": "/contents/{+path}", "compare_url": "/compare/{base}...{head}",
	"merges_url": "/merges", "archive_url": "/{archive_format}{/ref}", "downloads_url": "/downloads", "issues_url": "/issues{/number}",
	"pulls_url": "/pulls{/number}", "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
	"labels_url": "/labels{/name}", "releases_url": "/releases{/id}", "deployments_url": "/deployments",
}

func (s *Sim) repoAPI(r *repository) string { return s.api("/repos/" + r.fullName()) }

func (s *Sim) repoWeb(r *repository) string { return s.web("/" + r.fullName()) }

// repoJSON is the form that lists, pull requests and payloads share.
func (s *Sim) repoJSON(r *repository) obj {
	out := obj{
		"id": r.id, "node_id": nodeID("R", r.id), "name": r.name, "full_name": r.fullName(), "private": r.private,
		"owner": s.userJSON(r.owner), "html_url": s.repoWeb(r), "description": nil, "fork": r.parent != 0, "url": s.repoAPI(r),
		"created_at": stamp(r.created), "updated_at": stamp(r.updated), "pushed_at": stamp(r.pushed),
		"git_url": "git" + strings.TrimPrefix(s.repoWeb(r), "http") + ".git", "ssh_url": "git@" + hostOf(s.url) + ":" + r.fullName() + ".git",
		"clone_url": s.repoWeb(r) + ".git", "svn_url": s.repoWeb(r), "homepage": nil, "size": 0, "stargazers_count": 0, "watchers_count": 0,
		"language": nil, "has_issues": !r.noIssues, "has_projects": true, "has_downloads": true, "has_wiki": true, "has_pages": false,
		"has_discussions": false, "forks_count": 0, "mirror_url": nil, "archived": r.archived, "disabled": false,
		"open_issues_count": r.openIssues(), "license": nil, "forks": 0, "open_issues": r.openIssues(), "watchers": 0,
		"default_branch": r.defaultBranch, "is_template": false, "topics": []string{}, "visibility": r.visibility(), "allow_forking": true,
		"web_commit_signoff_required": false, "custom_properties": obj{},
	}
	for name, suffix := range repoLinks {
		out[name] = s.repoAPI(r) + suffix
	}
	return out
}

func hostOf(url string) string {
	_, host, _ := strings.Cut(url, "://")
	return host
}

func (r *repository) visibility() string {
	if r.private {
		return "private"
	}
	return "public"
}

func (r *repository) openIssues() int {
	n := 0
	for _, i := range r.issues {
		if i.state == "open" {
			n++
		}
	}
	return n
}

// fullRepoJSON is the answer of GET /repos/{owner}/{repo}.
func (c *call) fullRepoJSON(r *repository) obj {
	out := merged(c.repoJSON(r), obj{
		"subscribers_count": 0, "network_count": 0, "temp_clone_token": nil, "allow_merge_commit": slices.Contains(r.methods, "merge"),
		"allow_squash_merge": slices.Contains(r.methods, "squash"), "allow_rebase_merge": slices.Contains(r.methods, "rebase"),
		"allow_auto_merge": r.autoMerge, "delete_branch_on_merge": r.deleteHead, "allow_update_branch": false,
		"squash_merge_commit_title": "COMMIT_OR_PR_TITLE", "squash_merge_commit_message": "COMMIT_MESSAGES",
		"merge_commit_title": "MERGE_MESSAGE", "merge_commit_message": "PR_TITLE",
		"permissions": c.permissionsOn(r),
	})
	if r.owner.kind == "Organization" {
		out["organization"] = c.userJSON(r.owner)
	}
	return out
}

func (c *call) permissionsOn(r *repository) obj {
	level := r.roleOf(c.who.user)
	if c.who.kind == asInstalled && c.who.token.reaches(r.id) && atLeast(c.who.token.granted()["contents"], "write") {
		level = roleWrite
	}
	return level.permissions()
}

// briefRepos is how installation events name repositories.
func (s *Sim) briefRepos(ids map[int64]bool) []obj {
	out := []obj{}
	for _, r := range s.reposIn(ids) {
		out = append(out, obj{
			"id": r.id, "node_id": nodeID("R", r.id), "name": r.name, "full_name": r.fullName(), "private": r.private,
		})
	}
	return out
}

func repoRoutes() []route {
	return []route{
		{pattern: "GET /repos/{owner}/{repo}", docs: "repos/repos#get-a-repository", needs: "metadata=read", role: roleRead,
			run: func(c *call) reply { return ok(c.fullRepoJSON(c.repo)) }},
	}
}
