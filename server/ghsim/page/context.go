package page

import (
	"html/template"
	"strings"
	"sync"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/ghsim/page/markdown"
)

// maxCommitLookups bounds the git commands that the hashes of one text may cost.
const maxCommitLookups = 50

// context says what references in a text of this repository mean to the person who reads it.
func (v *visit) context() markdown.Place {
	people := map[string]bool{}
	for _, login := range v.sim.People() {
		people[strings.ToLower(login)] = true
	}
	left := maxCommitLookups
	return markdown.Place{
		Web: v.sim.URL(), Repo: v.repo.FullName(),
		Person: func(login string) bool { return people[strings.ToLower(login)] },
		Number: v.kindOf,
		Commit: func(name, abbreviated string) string {
			repo, found := v.sim.RepoByName(name)
			if !found || !v.sees(repo) {
				return ""
			}
			return v.hashes.find(v.sim, repo, abbreviated, &left)
		},
	}
}

func (v *visit) kindOf(name string, number int) string {
	repo, found := v.sim.RepoByName(name)
	if !found || !v.sees(repo) {
		return ""
	}
	if _, _, isPull := v.sim.Span(repo, number); isPull {
		return "pull"
	}
	if _, found := findIssue(v.sim.Issues(repo), number); found {
		return "issues"
	}
	return ""
}

func (v *visit) comments(text string) template.HTML { return markdown.Comment(text, v.context()) }

// commitCache remembers which hashes are commits: a page is drawn anew every few seconds, and commits do not go away.
type commitCache struct {
	mu    sync.Mutex
	known map[commitKey]string
}

type commitKey struct {
	repo  int64
	short string
}

const maxCached = 5000

// find gives the whole hash, or "". left is how many more git commands the text may cost.
func (c *commitCache) find(sim *ghsim.Sim, repo ghsim.Repo, abbreviated string, left *int) string {
	key := commitKey{repo.ID, abbreviated}
	c.mu.Lock()
	sha := c.known[key]
	c.mu.Unlock()
	if sha != "" || *left <= 0 {
		return sha
	}
	*left--
	sha, found := sim.Resolve(repo, abbreviated)
	if !found || !strings.HasPrefix(sha, abbreviated) { // a branch may be called like a hash
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxCached {
		c.known = map[commitKey]string{}
	}
	c.known[key] = sha
	return sha
}
