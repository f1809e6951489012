package promotion

import (
	"slices"
	"strings"
)

// verdict is what the checks that some globs name amount to.
type verdict struct {
	green, all int      // globs that are green, and all of them
	red        []string // names that said no
	silent     []string // globs that nothing has answered
	unread     bool     // they have to be read first
	failed     string   // why they could not be read
	late       bool     // the newest word of a name that was green once is no
	lateNames  []string
}

func (v verdict) isGreen() bool { return v.green == v.all }
func (v verdict) isRed() bool   { return len(v.red) > 0 }

// judgeChecks judges globs over a commit that landed on a branch, and the later
// ones that contain it: a name is green when its newest run is on any of them.
// What was never heard of is read first.
func (c *core) judgeChecks(globs []string, branch, sha string) verdict {
	v := verdict{all: len(globs)}
	commits := c.containing(branch, sha)
	names := c.namesOn(commits)
	for _, glob := range globs {
		green, answered := true, false
		for _, key := range names {
			name := key[strings.IndexByte(key, '/')+1:]
			if !matchesAny([]string{glob}, name) {
				continue
			}
			answered = true
			switch c.stands(key, commits, &v) {
			case GateOpen:
			case GateClosed:
				green = false
				v.red = appendOnce(v.red, name)
			default:
				green = false
			}
		}
		switch {
		case !answered:
			v.silent = append(v.silent, glob)
		case green:
			v.green++
		}
	}
	if !v.isGreen() {
		c.readFirst(&v, commits)
	}
	return v
}

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// namesOn are the keys of all checks on the commits, sorted.
func (c *core) namesOn(commits []string) []string {
	seen := map[string]bool{}
	for _, sha := range commits {
		for key := range c.state.Local.Checks[sha] {
			if key != unreadable {
				seen[key] = true
			}
		}
	}
	return sortedKeys(seen)
}

// stands says how one check stands over the commits: green on any of them is
// green; else the newest that has it decides.
func (c *core) stands(key string, commits []string, v *verdict) GateStatus {
	newest, green := GateStatus(""), false
	for _, sha := range slices.Backward(commits) {
		k, ok := c.state.Local.Checks[sha][key]
		if !ok {
			continue
		}
		status := GatePending
		switch {
		case k.Conclusion == "":
		case k.green():
			status, green = GateOpen, true
		default:
			status = GateClosed
		}
		if newest == "" {
			newest = status
		}
	}
	if green && newest == GateClosed {
		v.late = true
		v.lateNames = appendOnce(v.lateNames, key[strings.IndexByte(key, '/')+1:])
	}
	if green {
		return GateOpen
	}
	return newest
}

// readFirst asks GitHub for the checks of commits that were never heard of: the
// first and the last say all that counts.
func (c *core) readFirst(v *verdict, commits []string) {
	for _, sha := range []string{commits[0], commits[len(commits)-1]} {
		known := c.state.Local.Checks[sha]
		if sha == rewritten {
			continue
		}
		if known == nil {
			v.unread = true
			c.effect(Effect{ID: "checks/" + sha, Kind: KindChecks, SHA: sha})
		}
		if failed, ok := known[unreadable]; ok {
			v.failed = failed.Title
		}
	}
}

// readChecks takes the checks of a commit as GitHub has them.
func (c *core) readChecks(e *Effect, r Result) {
	c.heard(e.SHA)
	delete(c.checksOf(e.SHA), unreadable)
	for _, k := range r.Checks {
		if k.SHA = e.SHA; c.askedFor(k.Name) {
			c.noteResult(k)
		}
	}
}

// checksUnread takes that they could not be read: a gate that cannot be read is
// closed, and says so.
func (c *core) checksUnread(e *Effect, err error) {
	c.heard(e.SHA)
	c.checksOf(e.SHA)[unreadable] = CheckChanged{Title: err.Error()}
}
