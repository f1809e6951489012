package promotion

import "strings"

// Touches reports whether a commit with these paths moves the source.
func (g *GitSource) Touches(paths []string) bool {
	for _, p := range paths {
		if g.Counts(p) {
			return true
		}
	}
	return len(paths) == 0 && len(g.Paths) == 0 // an empty commit moves a source that watches everything
}

// Counts reports whether a change of this path moves the source.
func (g *GitSource) Counts(path string) bool {
	for _, pattern := range g.Ignore {
		if matchPath(pattern, path) {
			return false
		}
	}
	for _, pattern := range g.Paths {
		if matchPath(pattern, path) {
			return true
		}
	}
	return len(g.Paths) == 0
}

// matchPath matches a path against a pattern in which `*` and `?` stay within a
// name and `**` crosses any number of folders. A pattern that names a folder
// matches all that is in it.
func matchPath(pattern, path string) bool {
	pattern = strings.Trim(pattern, "/")
	parts := strings.Split(path, "/")
	for n := len(parts); n > 0; n-- {
		if matchParts(strings.Split(pattern, "/"), parts[:n]) {
			return true
		}
	}
	return false
}

func matchParts(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := range len(parts) + 1 {
				if matchParts(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 || !matchName(pattern[0], parts[0]) {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return len(parts) == 0
}

// matchName matches one name in time linear in both lengths, near enough: a
// star that fails later is widened by one, and only the last one need be.
func matchName(pattern, name string) bool {
	p, n, star, from := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
