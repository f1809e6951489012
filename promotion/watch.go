package promotion

import (
	"slices"
	"strconv"
	"strings"
)

// How much is remembered of other apps' checks. What a stage holds is never
// forgotten; of other commits the last heard of are kept, because a check may
// end before it is known that its commit landed.
const (
	lineMemory  = 50  // tips of a branch
	heardMemory = 100 // commits that no stage holds
)

// rewritten begins the line of a branch whose history was rewritten: what is not
// in the line is not contained in it.
const rewritten = ""

// unreadable stands among a commit's checks when they could not be read.
const unreadable = "!"

func (k CheckChanged) key() string { return strconv.FormatInt(k.App, 10) + "/" + k.Name }

// green reports whether a finished check said yes (DESIGN, section 2).
func (k CheckChanged) green() bool {
	return k.Conclusion == "success" || k.Conclusion == "neutral" || k.Conclusion == "skipped"
}

// takeCheck remembers what a check said, if any gate may ask for it.
func (c *core) takeCheck(k CheckChanged) {
	if k.green() {
		c.stirMerges(k.SHA)
	}
	if !c.askedFor(k.Name) {
		return
	}
	c.heard(k.SHA)
	c.noteResult(k)
	c.touchAsking(func(s *Stage) bool { return matchesAny(s.asks(), k.Name) })
}

// stirMerges lets merges of a head be tried again, which GitHub may ask a check for
// that no gate names.
func (c *core) stirMerges(sha string) {
	for _, ps := range c.state.Pipelines {
		for _, p := range slices.Clone(ps.Promotions) {
			if p.Phase == PhaseWaiting {
				c.stirHead(p, sha)
			}
		}
	}
}

// askedFor reports whether some stage's gates or verification name the check.
func (c *core) askedFor(name string) bool {
	for pipeline := range c.asking() {
		for _, s := range c.state.Local.Config[pipeline].Stages {
			if matchesAny(s.asks(), name) {
				return true
			}
		}
	}
	return false
}

// asking are the pipelines with a stage that asks for checks.
func (c *core) asking() map[string]bool {
	if c.state.Local.Asking == nil {
		c.state.Local.Asking = map[string]bool{}
		for name, p := range c.state.Local.Config {
			if slices.ContainsFunc(p.Stages, func(s Stage) bool { return s.asksAny() }) {
				c.state.Local.Asking[name] = true
			}
		}
	}
	return c.state.Local.Asking
}

// asks are the globs of all checks that the stage names.
func (s *Stage) asks() []string {
	if s.Verify == nil {
		return s.Gates.Checks
	}
	return slices.Concat(s.Gates.Checks, s.Verify.Checks)
}

// matchesAny reports whether one of the globs is the whole of a check's name.
func matchesAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		return g == name || matchParts(strings.Split(g, "/"), strings.Split(name, "/"))
	})
}

// noteResult keeps the newest run of a name.
func (c *core) noteResult(k CheckChanged) {
	known := c.checksOf(k.SHA)
	if before, ok := known[k.key()]; ok && (k.ID < before.ID || k.ID == before.ID && older(k, before)) {
		return // an older run, or an older word of this one
	}
	k.SHA = ""
	known[k.key()] = k
	delete(known, unreadable)
}

// older reports whether a word of a run was said before another one. GitHub counts
// in seconds: of the same one, the conclusion is the later word.
func older(a, b CheckChanged) bool {
	return a.At.Before(b.At) || a.At.Equal(b.At) && a.Conclusion == "" && b.Conclusion != ""
}

// heard begins to remember the checks of a commit.
func (c *core) heard(sha string) {
	if sha == "" || c.state.Local.Checks[sha] != nil {
		return
	}
	c.checksOf(sha)
	local := &c.state.Local
	local.Heard = append(slices.Clone(local.Heard), sha)
	if extra := len(local.Heard) - heardMemory; extra > 0 {
		c.forgetHeard(extra)
	}
}

// forgetHeard forgets the commits that were heard of first and that no stage holds.
func (c *core) forgetHeard(extra int) {
	held := c.held()
	if extra -= len(held); extra <= 0 {
		return
	}
	local := &c.state.Local
	local.Heard = slices.DeleteFunc(local.Heard, func(sha string) bool {
		if extra <= 0 || held[sha] {
			return false
		}
		extra--
		delete(local.Checks, sha)
		return true
	})
}

// held are the commits of what stages hold and held before, and the tips that may
// contain them.
func (c *core) held() map[string]bool {
	out := map[string]bool{}
	for _, line := range c.state.Local.Line {
		out[last(line)] = true
	}
	for _, ps := range c.state.Pipelines {
		for _, st := range ps.Stages {
			for _, l := range st.landings() {
				out[l.Commit] = true
			}
		}
	}
	return out
}

// landings are all that the stage is known to have held, the newest last.
func (st *StageState) landings() []Landing {
	if st == nil || st.Current == nil {
		return nil
	}
	return append(slices.Clone(st.Before), *st.Current)
}

// checksOf returns the results of a commit to change, made if they are not there.
func (c *core) checksOf(sha string) map[string]CheckChanged {
	if !c.ownChecks[sha] {
		if len(c.ownChecks) == 0 {
			c.state.Local.Checks = cloneMap(c.state.Local.Checks)
			c.ownChecks = map[string]bool{}
		}
		c.state.Local.Checks[sha] = cloneMap(c.state.Local.Checks[sha])
		c.ownChecks[sha] = true
	}
	return c.state.Local.Checks[sha]
}

// advanceLine takes that a branch's tip is the commit now.
func (c *core) advanceLine(branch, sha string, forced bool) {
	if !c.follows(branch) || sha == "" {
		return
	}
	line := c.state.Local.Line[branch]
	switch {
	case slices.Contains(line, sha) && !forced:
		return
	case forced:
		line = []string{rewritten}
	}
	c.state.Local.Line = cloneMap(c.state.Local.Line)
	line = append(slices.Clone(line), sha)
	c.state.Local.Line[branch] = line[max(0, len(line)-lineMemory):]
	if forced || len(c.state.Local.Checks[sha]) > 0 { // else it says nothing new of what it contains
		c.touchAsking(func(s *Stage) bool { return c.judgesOn(branch, s) })
	}
	if c.asksAtAll() {
		c.heard(sha)
	}
}

// judgesOn reports whether a stage asks for checks of commits on a branch: its own,
// or that of a stage before it.
func (c *core) judgesOn(branch string, s *Stage) bool {
	return c.branchOf(s) == branch || len(s.Gates.Checks) > 0
}

func (c *core) asksAtAll() bool { return len(c.asking()) > 0 }

// containing are the commit and those later ones of its branch that contain it,
// the newest last.
func (c *core) containing(branch, sha string) []string {
	line := c.state.Local.Line[branch]
	if i := slices.Index(line, sha); i >= 0 {
		return line[i:]
	}
	if len(line) > 0 && line[0] == rewritten {
		return []string{sha}
	}
	return append([]string{sha}, line...)
}
