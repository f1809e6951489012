package promotion

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// takeMoved takes the hint that something which sources may follow has changed:
// those that follow it are looked at.
func (c *core) takeMoved(m Moved) {
	told := c.toldPaths(m)
	for _, name := range sortedKeys(c.state.Local.Config) {
		p := c.state.Local.Config[name]
		for i := range p.Sources {
			src := &p.Sources[i]
			switch {
			case m.Watch != "" && src.Watch(c.state.Repo) == m.Watch && m.on(src.branch()):
				if told && !m.Change.touches(src.Git) && !c.troubled(name, src.Name) {
					continue
				}
			case m.Watch == "" && (m.Source == src.Name || m.Source == ""):
			default:
				continue
			}
			if src.OwnBranch(c.state.Repo) {
				c.lookAtTip(name, *src, "hint/"+c.stamp())
			} else {
				c.look(name, *src)
			}
		}
	}
}

// touches reports whether people changed what a source watches. Without paths only
// promotions moved the branch.
func (m *Movement) touches(g *GitSource) bool { return len(m.Paths) > 0 && g.Touches(m.Paths) }

// toldPaths reports whether the hint says all that changed since the last one of its
// branch: then hundreds of sources that watch other paths need no look.
func (c *core) toldPaths(m Moved) bool {
	if m.Change == nil || m.Branch == "" {
		return false
	}
	key := m.Watch + " " + m.Branch
	before := c.state.Local.Heads[key]
	c.state.Local.Heads = cloneMap(c.state.Local.Heads)
	c.state.Local.Heads[key] = m.Change.After
	return m.Change.Whole && before != "" && before == m.Change.Before
}

// troubled reports whether something is said of a source, for example that it could
// not be read: what it missed meanwhile no later hint names.
func (c *core) troubled(pipeline, source string) bool {
	key := sourceKey(pipeline, source) + "/"
	return slices.ContainsFunc(c.state.Problems, func(p Problem) bool { return strings.HasPrefix(p.Key, key) })
}

// dropHeads forgets the branches that no source follows any more.
func (c *core) dropHeads() {
	if len(c.state.Local.Heads) == 0 {
		return
	}
	followed := map[string]bool{}
	for _, key := range Watches(c.state.Local.Config, c.state.Repo) {
		followed[key] = true
	}
	c.state.Local.Heads = cloneMap(c.state.Local.Heads)
	maps.DeleteFunc(c.state.Local.Heads, func(key, _ string) bool {
		watch, _, _ := strings.Cut(key, " ")
		return !followed[watch]
	})
}

// on reports whether a branch is the one that moved; "" is the default branch.
func (m Moved) on(branch string) bool {
	return m.Branch == "" || m.Branch == branch || m.Default && branch == ""
}

// branch is that of a git source of another repository; empty: its default branch,
// which nobody here knows.
func (s *Source) branch() string {
	if s.Git == nil {
		return ""
	}
	return s.Git.Branch
}

// stamp tells the looks of one source apart.
func (c *core) stamp() string { return strconv.FormatInt(c.now.UnixMilli(), 36) }

// settleFor is how long a look waits whose source may be under way already: what
// comes in a burst (an image of many platforms is many events) is one look more.
const settleFor = 2 * time.Second

// look asks for the newest artifact of a source that no push tells of. A look
// that has not begun yet sees all that was heard of until now; one that may be
// under way does not, so another one follows it.
func (c *core) look(pipeline string, src Source) {
	e := Effect{
		ID: sourceKey(pipeline, src.Name) + "/look/" + c.stamp(), Kind: KindSource,
		Pipeline: pipeline, Source: src.Name, Known: c.known(pipeline, src.Name),
	}
	if src.Git != nil {
		e.Branch = src.Git.Branch
	}
	for _, other := range c.looks(pipeline, src.Name) {
		if other.NotBefore.After(c.now) || other.Blocked != "" {
			return
		}
		e.NotBefore = c.now.Add(settleFor)
	}
	c.effect(e)
	c.touchSources(pipeline) // it is polled no sooner than after this look
}

// looks are the looks at a source that have no answer yet.
func (c *core) looks(pipeline, source string) []*Effect {
	var out []*Effect
	prefix := sourceKey(pipeline, source) + "/look/"
	for id, e := range c.state.Local.Pending {
		if strings.HasPrefix(id, prefix) {
			out = append(out, e)
		}
	}
	return out
}

func sourceKey(pipeline, source string) string { return "source/" + pipeline + "/" + source }

// known is the artifact of a source as last seen, or nil.
func (c *core) known(pipeline, source string) *Artifact {
	if ps := c.state.Pipelines[pipeline]; ps != nil {
		if a, ok := ps.Artifacts[source]; ok {
			return &a
		}
	}
	return nil
}

// poll looks at the sources of a pipeline that were left alone for long enough,
// and remembers when the next look is due. Times are spread, so that many
// pipelines do not ask one registry at once.
func (c *core) poll(p *Pipeline) {
	for i := range p.Sources {
		src := &p.Sources[i]
		every := src.Poll(c.state.Repo)
		if every == 0 || len(c.looks(p.Name, src.Name)) > 0 {
			continue
		}
		key := sourceKey(p.Name, src.Name)
		next := c.state.Local.Looked[key].Add(every + jitter(c.state.Repo.ID, key, every))
		if next.After(c.now) {
			c.at(p.Name, "", next)
		} else {
			c.look(p.Name, *src)
		}
	}
}

// jitter is up to an eighth of a time, in whole seconds, and always the same for
// one source.
func jitter(repo int64, key string, every time.Duration) time.Duration {
	sum := sha256.Sum256([]byte(strconv.FormatInt(repo, 10) + key))
	return (every / 8 * time.Duration(sum[0]) / 256).Truncate(time.Second)
}

// sawSource takes what a look at a source found that no push tells of. An answer
// that is older than another one is none.
func (c *core) sawSource(e *Effect, r Result) {
	key := sourceKey(e.Pipeline, e.Source)
	if e.SentAt.Before(c.state.Local.Looked[key]) {
		return
	}
	c.lookedAt(e)
	c.dropProblems(problemOf(e))
	c.sayRenamed(e, r.Renamed)
	before := c.known(e.Pipeline, e.Source)
	same := func(a, b *Artifact) bool { return a != nil && b != nil && a.identity() == b.identity() }
	if src := c.source(e); before != nil && !same(e.Known, before) && !same(r.Artifact, before) && src != nil {
		c.look(e.Pipeline, *src) // it was put before that was known, so it does not say whether that is gone
		return
	}
	if same(e.Known, before) && r.Gone != "" {
		c.blockGone(e.Pipeline, *before, r.Gone)
	}
	if r.Artifact == nil {
		return
	}
	c.unblockFound(e.Pipeline, *r.Artifact)
	if before != nil && before.identity() != r.Artifact.identity() {
		c.sayMoved(e, *before, r)
	}
	c.addArtifact(e.Pipeline, *r.Artifact)
}

// sayMoved says that a tag which should stay points to something else now, until
// the source has another one.
func (c *core) sayMoved(e *Effect, before Artifact, r Result) {
	key := "moved/" + sourceKey(e.Pipeline, e.Source) + "/"
	c.dropProblems(key)
	if before.Tag != "" && before.Tag == r.Artifact.Tag && !r.Floats {
		c.problem(Problem{Key: key, Text: sentence("The tag %s of %s was moved, from %s to %s. What it points to now is freight of its own.",
			plain(before.Tag), plain(before.Repo), before.exact(), r.Artifact.exact())})
	}
}

// sayWait says of a source that a limit holds its look up, and until when.
func (c *core) sayWait(e *Effect, wait time.Duration, err error) {
	if e.Kind == KindSource && wait >= time.Minute {
		c.problem(Problem{Key: problemOf(e), Text: sentence("The source %s waits until %s: %s", e.Source, e.NotBefore.Format("15:04 UTC"), err)})
	}
}

// sayDeleted says that a branch is gone which sources follow. A look at one that is
// there again takes it back.
func (c *core) sayDeleted(branch string) {
	for _, name := range sortedKeys(c.state.Local.Config) {
		for _, src := range c.state.Local.Config[name].Sources {
			if src.OwnBranch(c.state.Repo) && c.sourceBranch(src) == branch {
				c.problem(Problem{Key: sourceKey(name, src.Name) + "/gone", Text: sentence(
					"The branch %s was deleted, which the source %s follows. What it held last stays the newest until it is there again.", plain(branch), src.Name)})
			}
		}
	}
}

// dropSource drops all that is said of a source that is there no more, or follows
// something else now.
func (c *core) dropSource(pipeline, source string) {
	key := sourceKey(pipeline, source) + "/"
	for _, about := range []string{"", "moved/", "renamed/"} {
		c.dropProblems(about + key)
	}
}

// sayRenamed says that a source is followed under a former name, under which no
// event tells of it.
func (c *core) sayRenamed(e *Effect, now string) {
	key := "renamed/" + sourceKey(e.Pipeline, e.Source) + "/"
	if now == "" {
		c.dropProblems(key)
		return
	}
	c.problem(Problem{Key: key, File: c.state.Local.Config[e.Pipeline].Path, Text: sentence(
		"The repository of the source %s is called %s now. Write that as its `repo`: until then what is new there is found by a look now and then.", e.Source, plain(now))})
}

// lookedAt notes that a source was asked for, and when.
func (c *core) lookedAt(e *Effect) {
	c.state.Local.Looked = cloneMap(c.state.Local.Looked)
	at := e.SentAt
	if e.NotBefore.After(at) {
		at = e.NotBefore
	}
	c.state.Local.Looked[sourceKey(e.Pipeline, e.Source)] = at
}

// exact is the digest or the commit.
func (a Artifact) exact() string {
	if a.Digest != "" {
		return plain(a.Digest)
	}
	return short(a.Commit)
}

// goneReason begins the reason of blocks that the app itself sets.
const goneReason = "it is gone: "

// blockGone blocks the freight that holds an artifact which is not to be had any
// more: what is promoted now would not start.
func (c *core) blockGone(pipeline string, a Artifact, why string) {
	ps := c.pipe(pipeline)
	for _, f := range ps.Freight {
		mark := ps.Blocked[f.ID]
		if !f.has(a) || mark != nil && (mark.By != "" || slices.Contains(mark.Gone, a.Source)) {
			continue
		}
		gone := Mark{At: c.now, Reason: goneReason + why}
		if mark != nil {
			gone = *mark
		}
		gone.Gone = append(slices.Clone(gone.Gone), a.Source)
		c.blockIn(pipeline, f.ID, &gone)
	}
}

// has reports whether the freight holds exactly that artifact.
func (f *Freight) has(a Artifact) bool {
	got, ok := f.Artifact(a.Source)
	return ok && got.identity() == a.identity()
}

// unblockFound lifts the blocks of freight whose artifact has come back, unless it
// lacks another one.
func (c *core) unblockFound(pipeline string, a Artifact) {
	ps := c.pipe(pipeline)
	for id, mark := range maps.All(ps.Blocked) {
		f := c.state.FreightByID(pipeline, id)
		// A block that an older version set does not name what is gone.
		lifts := slices.Contains(mark.Gone, a.Source) || len(mark.Gone) == 0 && strings.HasPrefix(mark.Reason, goneReason)
		if f == nil || mark.By != "" || !lifts || !f.has(a) {
			continue
		}
		left := *mark
		left.Gone = slices.DeleteFunc(slices.Clone(mark.Gone), func(s string) bool { return s == a.Source })
		ps.Blocked = cloneMap(ps.Blocked)
		if ps.Blocked[id] = &left; len(left.Gone) == 0 {
			delete(ps.Blocked, id)
		}
		c.touchPipeline(pipeline)
	}
}
