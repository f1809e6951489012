package ghsim

import (
	"net/http"
	"strings"
)

func createCommit(c *call) reply {
	var in struct {
		Message, Tree     string
		Parents           []string
		Author, Committer *struct{ Name, Email string }
	}
	if !c.decode(&in) || in.Message == "" || in.Tree == "" {
		return invalid(custom("Commit", "tree", "Tree SHA does not exist"))
	}
	by := c.signatureOf(c.who.actor())
	author, signed := by, c.who.kind == asInstalled && in.Author == nil && in.Committer == nil
	if in.Author != nil {
		author.Name, author.Email = in.Author.Name, in.Author.Email
	}
	committer := by
	if signed {
		committer = c.site()
	}
	sha, err := c.commitTree(c.repo, in.Tree, in.Message, author, committer, in.Parents...)
	if err != nil {
		return invalid(custom("Commit", "tree", "Tree SHA does not exist"))
	}
	api := c.repoAPI(c.repo)
	reason := "unsigned"
	if signed {
		reason = "valid"
	}
	parents := []obj{}
	for _, p := range in.Parents {
		parents = append(parents, obj{"sha": p, "url": api + "/git/commits/" + p, "html_url": c.repoWeb(c.repo) + "/commit/" + p})
	}
	return created(obj{
		"sha": sha, "node_id": "C_" + sha, "url": api + "/git/commits/" + sha, "html_url": c.repoWeb(c.repo) + "/commit/" + sha,
		"author": signatureJSON(author), "committer": signatureJSON(committer), "message": in.Message, "parents": parents,
		"tree":         obj{"sha": in.Tree, "url": api + "/git/trees/" + in.Tree},
		"verification": obj{"verified": signed, "reason": reason, "signature": nil, "payload": nil, "verified_at": nil},
	})
}

func createRef(c *call) reply {
	var in struct{ Ref, SHA string }
	if !c.decode(&in) || !strings.HasPrefix(in.Ref, "refs/") {
		return fail(http.StatusUnprocessableEntity, "Reference name must start with 'refs/'.")
	}
	if c.repo.refs[in.Ref] != "" {
		return fail(http.StatusUnprocessableEntity, "Reference already exists")
	}
	return c.setRef(in.Ref, zeroSHA, in.SHA, created)
}

func updateRef(c *call) reply {
	var in struct {
		SHA   string
		Force bool
	}
	if !c.decode(&in) {
		return fail(http.StatusBadRequest, "Problems parsing JSON")
	}
	ref := "refs/" + c.path("ref")
	old := c.repo.refs[ref]
	if old == "" {
		return fail(http.StatusUnprocessableEntity, "Reference does not exist")
	}
	if _, err := c.gitLine(c.repo, "merge-base", "--is-ancestor", old, in.SHA); err != nil && !in.Force {
		return fail(http.StatusUnprocessableEntity, "Update is not a fast forward")
	}
	return c.setRef(ref, old, in.SHA, ok)
}

func (c *call) setRef(ref, old, sha string, answer func(any) reply) reply {
	kind, err := c.gitLine(c.repo, "cat-file", "-t", sha)
	if err != nil {
		return fail(http.StatusUnprocessableEntity, "Object does not exist")
	}
	if refused := c.refuseRef(refChange{ref: ref, old: old, new: sha}); refused != nil {
		return *refused
	}
	if err := c.updateRef(c.repo, ref, sha, old); err != nil {
		return fail(http.StatusUnprocessableEntity, "Reference cannot be updated")
	}
	if err := c.refsChanged(c.repo, c.who.actor()); err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	api := c.repoAPI(c.repo)
	return answer(obj{
		"ref": ref, "node_id": nodeID("REF", c.repo.id), "url": api + "/git/" + ref,
		"object": obj{"type": kind, "sha": sha, "url": api + "/git/" + kind + "s/" + sha},
	})
}
