package ghsim

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
)

// gitDataRoutes make blobs, trees and commits, and move refs to them. GitHub signs a commit that an App makes
// without naming an author or a committer.
func gitDataRoutes() []route {
	write := func(pattern, docs string, run func(*call) reply) route {
		return route{pattern: pattern, docs: "git/" + docs, needs: "contents=write", role: roleWrite, run: run}
	}
	makeRef := write("POST /repos/{owner}/{repo}/git/refs", "refs#create-a-reference", createRef)
	moveRef := write("PATCH /repos/{owner}/{repo}/git/refs/{ref...}", "refs#update-a-reference", updateRef)
	makeRef.refs, moveRef.refs = true, true
	return []route{
		write("POST /repos/{owner}/{repo}/git/blobs", "blobs#create-a-blob", createBlob),
		write("POST /repos/{owner}/{repo}/git/trees", "trees#create-a-tree", createTree),
		write("POST /repos/{owner}/{repo}/git/commits", "commits#create-a-commit", createCommit),
		makeRef, moveRef,
	}
}

func createBlob(c *call) reply {
	var in struct{ Content, Encoding string }
	if !c.decode(&in) {
		return fail(http.StatusBadRequest, "Problems parsing JSON")
	}
	content := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if content, err = base64.StdEncoding.DecodeString(in.Content); err != nil {
			return invalid(custom("Blob", "content", "content is not valid base64"))
		}
	}
	out, err := c.git.run(c.gitDir(c.repo), content, "hash-object", "-w", "--stdin")
	if err != nil {
		return failf(http.StatusInternalServerError, "%v", err)
	}
	sha := strings.TrimSpace(string(out))
	return created(obj{"sha": sha, "url": c.repoAPI(c.repo) + "/git/blobs/" + sha})
}

type treeInput struct {
	BaseTree string `json:"base_tree"`
	Tree     []struct {
		Path, Mode, Type string
		SHA, Content     *string
	}
}

// createTree lays entries over a tree. One without content and hash is taken away, and must be there.
func createTree(c *call) reply {
	var in treeInput
	if !c.decode(&in) || len(in.Tree) == 0 {
		return invalid(custom("Tree", "tree", "Invalid tree info"))
	}
	if len(c.repo.refs) == 0 {
		return fail(http.StatusConflict, "Git Repository is empty.")
	}
	index := []string{"GIT_INDEX_FILE=" + c.gitDir(c.repo) + "/index-of-the-api"}
	if err := c.startIndex(index, in.BaseTree); err != nil {
		return fail(http.StatusNotFound, "Not Found")
	}
	var lines strings.Builder
	for _, e := range in.Tree {
		sha := zeroSHA
		switch {
		case e.Content != nil:
			out, err := c.git.run(c.gitDir(c.repo), []byte(*e.Content), "hash-object", "-w", "--stdin")
			if err != nil {
				return failf(http.StatusInternalServerError, "%v", err)
			}
			sha = strings.TrimSpace(string(out))
		case e.SHA != nil:
			sha = *e.SHA
		default:
			e.Mode = "0"
		}
		fmt.Fprintf(&lines, "%s %s\t%s\x00", e.Mode, sha, e.Path)
	}
	_, err := c.git.runEnv(c.gitDir(c.repo), index, []byte(lines.String()), "update-index", "-z", "--add", "--remove", "--index-info")
	if err != nil {
		return fail(http.StatusUnprocessableEntity, "GitRPC::BadObjectState")
	}
	out, err := c.git.runEnv(c.gitDir(c.repo), index, nil, "write-tree")
	if err != nil {
		return fail(http.StatusUnprocessableEntity, "tree.sha is not a valid blob")
	}
	sha := strings.TrimSpace(string(out))
	return created(obj{"sha": sha, "url": c.repoAPI(c.repo) + "/git/trees/" + sha, "truncated": false, "tree": []obj{}})
}

func (c *call) startIndex(index []string, base string) error {
	args := []string{"read-tree", "--empty"}
	if base != "" {
		args = []string{"read-tree", base}
	}
	_, err := c.git.runEnv(c.gitDir(c.repo), index, nil, args...)
	return err
}
