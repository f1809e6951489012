package promotion

import (
	"slices"
	"strings"
)

// Follower is a source that follows a branch of the pipeline's own repository.
type Follower struct{ Pipeline, Source string }

// Followers are the sources that follow each branch of the repository, by the folder
// that all which they watch is in: hundreds of pipelines may watch a folder each, and
// a push asks only those above the files that it changed.
type Followers map[string]map[string][]Follower // branch → folder → sources; "": any folder

// followersOf lists the sources of the pipelines.
func (c *core) followersOf(pipelines map[string]*Pipeline) Followers {
	out := Followers{}
	for _, name := range sortedKeys(pipelines) {
		for _, src := range pipelines[name].Sources {
			if !src.OwnBranch(c.state.Repo) {
				continue
			}
			branch := c.sourceBranch(src)
			if out[branch] == nil {
				out[branch] = map[string][]Follower{}
			}
			for _, folder := range src.Git.folders() {
				out[branch][folder] = append(out[branch][folder], Follower{name, src.Name})
			}
		}
	}
	return out
}

// folders are the parts of the source's patterns in front of the first wildcard.
func (g *GitSource) folders() []string {
	if len(g.Paths) == 0 {
		return []string{""}
	}
	var out []string
	for _, pattern := range g.Paths {
		if folder := Literal(pattern); !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}

// Literal is the part of a pattern in front of its first wildcard: whole names.
func Literal(pattern string) string {
	var parts []string
	for part := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		if strings.ContainsAny(part, "*?") {
			break
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/")
}

// following are the sources that a push to their branch may concern, each once: all
// that follow it, unless the push tells every file that it changed.
func (c *core) following(push Pushed, told bool) []Follower {
	if c.state.Local.Followers == nil { // the state comes from the store
		c.state.Local.Followers = c.followersOf(c.state.Local.Config)
	}
	byFolder := c.state.Local.Followers[push.Branch]
	found := slices.Clone(byFolder[""])
	if !told {
		for folder, some := range byFolder {
			if folder != "" {
				found = append(found, some...)
			}
		}
		return once(found)
	}
	for _, commit := range push.Commits {
		for _, path := range commit.Paths {
			for end := 0; end < len(path); end++ {
				n := strings.IndexByte(path[end:], '/')
				if n < 0 {
					break
				}
				end += n
				found = append(found, byFolder[path[:end]]...)
			}
			found = append(found, byFolder[path]...)
		}
	}
	return once(found)
}

func once(list []Follower) []Follower {
	slices.SortFunc(list, func(a, b Follower) int {
		if a.Pipeline != b.Pipeline {
			return strings.Compare(a.Pipeline, b.Pipeline)
		}
		return strings.Compare(a.Source, b.Source)
	})
	return slices.Compact(list)
}

// follower finds the source; nil: the config has none of that name.
func (c *core) follower(f Follower) *Source {
	p := c.state.Local.Config[f.Pipeline]
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.Sources, func(s Source) bool { return s.Name == f.Source })
	if i < 0 {
		return nil
	}
	return &p.Sources[i]
}
