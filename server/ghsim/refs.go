package ghsim

import (
	"net/http"
	"sort"
	"strings"
)

func refRoutes() []route {
	return []route{
		{pattern: "GET /repos/{owner}/{repo}/git/ref/{ref...}", docs: "git/refs#get-a-reference", needs: "contents=read", role: roleRead, run: getRef},
		{pattern: "DELETE /repos/{owner}/{repo}/git/refs/{ref...}", docs: "git/refs#delete-a-reference", needs: "contents=write", role: roleWrite,
			refs: true, run: removeRef},
		{pattern: "GET /repos/{owner}/{repo}/branches/{branch...}", docs: "branches/branches#get-a-branch", needs: "contents=read", role: roleRead, run: getBranch},
		{pattern: "GET /repos/{owner}/{repo}/branches", docs: "branches/branches#list-branches", needs: "contents=read", role: roleRead, run: listBranches},
		{pattern: "GET /repos/{owner}/{repo}/commits", docs: "commits/commits#list-commits", needs: "contents=read", role: roleRead, run: listCommits},
	}
}

func getRef(c *call) reply {
	ref := "refs/" + c.path("ref")
	sha := c.repo.refs[ref]
	if sha == "" {
		return notFound()
	}
	kind, err := c.gitLine(c.repo, "cat-file", "-t", sha)
	if err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	api := c.repoAPI(c.repo)
	return ok(obj{
		"ref": ref, "node_id": nodeID("REF", c.repo.id), "url": api + "/git/" + ref,
		"object": obj{"type": kind, "sha": sha, "url": api + "/git/" + kind + "s/" + sha},
	})
}

// removeRef deletes a branch or tag. The default branch cannot go, and a ref that is gone already is a 422, not a 404.
func removeRef(c *call) reply {
	ref := "refs/" + c.path("ref")
	sha := c.repo.refs[ref]
	switch {
	case sha == "":
		return fail(http.StatusUnprocessableEntity, "Reference does not exist")
	case ref == "refs/heads/"+c.repo.defaultBranch:
		return fail(http.StatusUnprocessableEntity, "Cannot delete the default branch")
	}
	if refused := c.refuseRef(refChange{ref: ref, old: sha, new: zeroSHA}); refused != nil {
		return *refused
	}
	if err := c.deleteRef(c.repo, ref, sha); err != nil {
		return fail(http.StatusUnprocessableEntity, "Reference cannot be updated")
	}
	if err := c.refsChanged(c.repo, c.who.actor()); err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	return noContent()
}

func getBranch(c *call) reply {
	name := c.path("branch")
	sha := c.repo.refs["refs/heads/"+name]
	if sha == "" {
		return fail(http.StatusNotFound, "Branch not found")
	}
	commits, err := c.logOf(c.repo, "--max-count=1", sha)
	if err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	self := c.repoAPI(c.repo) + "/branches/" + name
	return ok(obj{
		"name": name, "commit": c.commitJSON(c.repo, commits[0]), "protected": len(c.repo.rulesOn(name)) > 0,
		"_links":         obj{"self": self, "html": c.repoWeb(c.repo) + "/tree/" + name},
		"protection":     c.branchProtectionJSON(name),
		"protection_url": self + "/protection",
	})
}

func listBranches(c *call) reply {
	var names []string
	for ref := range c.repo.refs {
		if name, is := strings.CutPrefix(ref, "refs/heads/"); is {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return list(c, names, func(name string) obj { return c.branchJSON(c.repo, name) })
}

// branchJSON is a branch in lists and payloads.
func (s *Sim) branchJSON(r *repository, name string) obj {
	sha := r.refs["refs/heads/"+name]
	return obj{"name": name, "commit": obj{"sha": sha, "url": s.repoAPI(r) + "/commits/" + sha}, "protected": len(r.rulesOn(name)) > 0}
}

// commitJSON is a commit as the REST API shows it, without its files.
func (s *Sim) commitJSON(r *repository, commit Commit) obj {
	api := s.repoAPI(r)
	parents := []obj{}
	for _, p := range commit.Parents {
		parents = append(parents, obj{"sha": p, "url": api + "/commits/" + p, "html_url": s.repoWeb(r) + "/commit/" + p})
	}
	return obj{
		"sha": commit.SHA, "node_id": "C_" + commit.SHA, "url": api + "/commits/" + commit.SHA, "html_url": s.repoWeb(r) + "/commit/" + commit.SHA,
		"comments_url": api + "/commits/" + commit.SHA + "/comments", "parents": parents,
		"author": s.userOrNull(s.userByEmail(commit.Author.Email)), "committer": s.userOrNull(s.userByEmail(commit.Committer.Email)),
		"commit": obj{
			"author": signatureJSON(commit.Author), "committer": signatureJSON(commit.Committer), "message": commit.Message,
			"tree": obj{"sha": commit.Tree, "url": api + "/git/trees/" + commit.Tree}, "url": api + "/git/commits/" + commit.SHA, "comment_count": 0,
			"verification": obj{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil},
		},
	}
}

func signatureJSON(s Signature) obj {
	return obj{"name": s.Name, "email": s.Email, "date": stamp(s.When)}
}
