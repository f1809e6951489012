package promotion

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"time"
)

// takeConfig takes what the pipeline files hold now. A file that cannot be read
// stops new promotions of its pipeline and leaves running ones alone; a file
// that is gone ends what ran there.
func (c *core) takeConfig(in ConfigRead) {
	local := &c.state.Local
	c.reshaped = true
	set(&c.state.Repo.DefaultBranch, in.Branch)
	config, known := map[string]*Pipeline{}, local.Config
	for name, p := range in.Pipelines {
		config[name] = p
		ps := c.pipe(name)
		c.forgetSources(ps, local.Config[name], p)
		c.forgetChecks(local.Config[name], p)
		forgetStages(ps, p)
		ps.Broken, ps.Gone = nil, false
	}
	for name, problems := range in.Broken {
		ps := c.pipe(name)
		ps.Broken, ps.Gone = slices.Clone(problems), false
		if last := local.Config[name]; last != nil {
			config[name] = last // what cannot be read is unknown, never absent
		}
	}
	for name, p := range known {
		c.dropSources(name, p, config[name])
	}
	local.Config, local.ConfigSHA, local.Followers = config, in.SHA, c.followersOf(config)
	local.Asking = nil
	c.takeTips(in.Tips)
	c.dropHeads()
	c.touchAll()
	for name := range c.state.Pipelines {
		if in.Pipelines[name] == nil && in.Broken[name] == nil {
			c.pipe(name).Gone = true
		}
		c.endWithoutStage(name, in.Pipelines[name])
	}
	for name, p := range in.Pipelines {
		c.firstSight(name, p, known[name] != nil, in.Tips)
	}
	c.adoptKept()
}

// forgetSources forgets the artifacts of sources that follow something else than
// they did, or that nobody followed for a while: their newest are looked for anew.
func (c *core) forgetSources(ps *PipelineState, before, now *Pipeline) {
	for _, src := range now.Sources {
		if ps.Gone || before != nil && !slices.ContainsFunc(before.Sources, src.same) {
			delete(ps.Artifacts, src.Name)
			ps.forgetKept(src.Name)
		}
	}
}

// same reports whether two sources follow the same; how they are shown does not matter.
func (s *Source) same(other Source) bool {
	a, b := *s, other
	for _, each := range []*Source{&a, &b} {
		if each.Git != nil {
			git := *each.Git
			git.CheckRun, each.Git = false, &git
		}
	}
	return reflect.DeepEqual(a, b)
}

// dropSources drops what is said of sources that the config had and has no more.
func (c *core) dropSources(name string, before, now *Pipeline) {
	for _, src := range before.Sources {
		if now == nil || !slices.ContainsFunc(now.Sources, src.same) {
			c.dropSource(name, src.Name)
		}
	}
}

// removedMemory is how many stages that the config no longer has a pipeline
// remembers: one that comes back goes on with what it held.
const removedMemory = 20

// forgetStages forgets the stages that have been gone longest.
func forgetStages(ps *PipelineState, p *Pipeline) {
	var gone []string
	for _, name := range sortedKeys(ps.Stages) {
		if p.Stage(name) == nil {
			gone = append(gone, name)
		}
	}
	slices.SortStableFunc(gone, func(a, b string) int { return ps.Stages[a].landedAt().Compare(ps.Stages[b].landedAt()) })
	for _, name := range gone[:max(0, len(gone)-removedMemory)] {
		delete(ps.Stages, name)
	}
}

func (st *StageState) landedAt() time.Time {
	if st.Current == nil {
		return time.Time{}
	}
	return st.Current.At
}

// forgetChecks forgets what checks said when others are asked for now: what was
// not asked for was not kept, so it is read anew.
func (c *core) forgetChecks(before, now *Pipeline) {
	asks := func(p *Pipeline) (out []string) {
		if p != nil {
			for i := range p.Stages {
				out = append(out, p.Stages[i].asks()...)
			}
		}
		return out
	}
	if before == nil || slices.Equal(asks(before), asks(now)) {
		return
	}
	c.state.Local.Checks, c.state.Local.Heard, c.ownChecks = nil, nil, nil
}

// takeTips takes where branches stand; nil: nobody looked. What is remembered of
// branches that no longer matter goes.
func (c *core) takeTips(seen map[string]string) {
	tips := c.state.Local.Tips
	for branch, tip := range seen {
		before := tips[branch]
		tips[branch] = tip
		c.baseUnseen(branch, before, tip)
		c.advanceLine(branch, tip, false)
	}
	for branch := range tips {
		if _, there := seen[branch]; !c.follows(branch) || seen != nil && !there {
			delete(tips, branch)
			delete(c.state.Local.TipsAt, branch)
		}
	}
	c.state.Local.Line = cloneMap(c.state.Local.Line)
	for branch := range c.state.Local.Line {
		if !c.follows(branch) {
			delete(c.state.Local.Line, branch)
		}
	}
}

// follows reports whether the tip of a branch matters: that of the default
// branch, and of those that stages write or sources follow. A repository may
// have thousands of others.
func (c *core) follows(branch string) bool {
	if branch == c.state.Repo.DefaultBranch {
		return true
	}
	for _, p := range c.state.Local.Config {
		if slices.ContainsFunc(p.Stages, func(s Stage) bool { return s.Branch == branch }) ||
			slices.ContainsFunc(p.Sources, func(s Source) bool { return s.OwnBranch(c.state.Repo) && s.Git.Branch == branch }) {
			return true
		}
	}
	return false
}

// endWithoutStage aborts what runs or waits in stages that the config no longer has.
func (c *core) endWithoutStage(name string, p *Pipeline) {
	ps := c.state.Pipelines[name]
	if p == nil && !ps.Gone {
		return // broken: nobody knows
	}
	for _, pr := range ps.Promotions {
		if pr.Phase.Terminal() || p.Stage(pr.Stage) != nil {
			continue
		}
		c.stop(c.own(pr), PhaseAborted, sentence("The stage %s is no longer in the config.", pr.Stage))
	}
}

// firstSight looks for the newest artifact of every source that has none yet, and
// of all where the config was not known so far: pushes said nothing meanwhile.
// Only the newest make freight, never the whole past.
func (c *core) firstSight(name string, p *Pipeline, known bool, tips map[string]string) {
	ps := c.pipe(name)
	for _, src := range p.Sources {
		if _, ok := ps.Artifacts[src.Name]; !ok || !known {
			tip := ""
			if src.OwnBranch(c.state.Repo) {
				tip = tips[c.sourceBranch(src)] // read with the config: it need not be asked for
			}
			c.lookAtSource(name, src, c.artifactCommit(name, src.Name), tip)
		}
	}
	for source := range maps.Clone(ps.Artifacts) {
		if !slices.ContainsFunc(p.Sources, func(s Source) bool { return s.Name == source }) {
			delete(ps.Artifacts, source)
			ps.forgetKept(source)
		}
	}
}

// lookAtSource asks for the newest artifact of a source. before is the last
// commit that was judged; empty: none was.
func (c *core) lookAtSource(pipeline string, src Source, before, after string) {
	if !src.OwnBranch(c.state.Repo) {
		c.look(pipeline, src)
		return
	}
	c.effect(Effect{
		ID: "source/" + pipeline + "/" + src.Name + "/" + short(after), Kind: KindSource,
		Pipeline: pipeline, Source: src.Name, Branch: c.sourceBranch(src), SHA: before, Text: after,
	})
}

// lookAtAll asks for the newest artifact of every source that has one, and
// GitHub how each open pull request stands.
func (c *core) lookAtAll() {
	for _, name := range sortedKeys(c.state.Local.Config) {
		for _, src := range c.state.Local.Config[name].Sources {
			if c.known(name, src.Name) != nil {
				c.lookAtTip(name, src, "again")
			}
		}
	}
	for _, ps := range c.state.Pipelines {
		for _, p := range slices.Clone(ps.Promotions) {
			if p.Phase == PhaseWaiting && p.PullRequest != nil && p.PullRequest.State == "open" {
				c.own(p).PullRequest.Stale = true
				c.touchOf(p)
			}
		}
	}
}

// lookAtTip asks git for the newest artifact at the tip of now. Which look it is
// matters: one under way may have read the tip before the cause of this one.
func (c *core) lookAtTip(pipeline string, src Source, which string) {
	if !src.OwnBranch(c.state.Repo) {
		c.look(pipeline, src)
		return
	}
	c.effect(Effect{
		ID: "source/" + pipeline + "/" + src.Name + "/" + which, Kind: KindSource,
		Pipeline: pipeline, Source: src.Name, Branch: c.sourceBranch(src), SHA: c.artifactCommit(pipeline, src.Name),
	})
}

func (c *core) sourceBranch(src Source) string {
	return cmp.Or(src.Git.Branch, c.state.Repo.DefaultBranch)
}
