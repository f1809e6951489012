package ghsim

import (
	"errors"
	"fmt"
	"strings"
)

// testMerge is what GitHub's background job found out about merging a pull request.
type testMerge struct {
	clean bool
	sha   string // of the test merge commit, "" on conflict
}

// testMerge looks whether the pull request can be merged, unless that is known.
func (s *Sim) testMerge(i *issue) error {
	p, tip := i.pull, i.repo.refs["refs/heads/"+i.pull.base]
	if p.test != nil || i.state != "open" || tip == "" {
		return nil
	}
	tree, err := s.mergeTree(i.repo, tip, p.headSHA)
	if errors.Is(err, errConflict) {
		p.test = &testMerge{}
		return nil
	}
	if err != nil {
		return err
	}
	message := fmt.Sprintf("Merge %s into %s", p.headSHA, tip)
	sha, err := s.commitTree(i.repo, tree, message, s.site(), s.site(), tip, p.headSHA)
	if err != nil {
		return err
	}
	p.test = &testMerge{clean: true, sha: sha}
	return s.updateRef(i.repo, fmt.Sprintf("refs/pull/%d/merge", i.number), sha, "")
}

// mergeTree merges two commits and gives the tree, or errConflict.
func (s *Sim) mergeTree(r *repository, ours, theirs string) (string, error) {
	out, err := s.gitLine(r, "merge-tree", "--write-tree", ours, theirs)
	if exitCode(err) == 1 {
		return "", errConflict
	}
	if err != nil {
		return "", err
	}
	tree, _, _ := strings.Cut(out, "\n")
	return tree, nil
}

// rebaseOnto writes the commits of the pull request anew on top of tip, and gives the last one.
func (c *call) rebaseOnto(i *issue, tip string, by Signature) (string, error) {
	commits, err := c.logOf(i.repo, "--reverse", "--no-merges", i.pull.forkPoint+".."+i.pull.headSHA)
	if err != nil {
		return "", err
	}
	for _, commit := range commits {
		if tip, err = c.pick(i.repo, commit, tip, by); err != nil {
			return "", err
		}
	}
	return tip, nil
}

// pick applies one commit on top of tip. The merge base is forced to be the commit's parent by a throw-away commit that
// has tip's tree and that parent: git before 2.40 cannot be told a merge base.
func (c *call) pick(r *repository, commit Commit, tip string, by Signature) (string, error) {
	tree, err := c.gitLine(r, "rev-parse", tip+"^{tree}")
	if err != nil {
		return "", err
	}
	mark, err := c.commitTree(r, tree, "throw-away", by, by, commit.Parents...)
	if err != nil {
		return "", err
	}
	picked, err := c.mergeTree(r, mark, commit.SHA)
	if err != nil || picked == tree {
		return tip, err
	}
	return c.commitTree(r, picked, commit.Message, commit.Author, by, tip)
}
