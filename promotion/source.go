package promotion

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const noCommit = "0000000000000000000000000000000000000000"

// takePush takes a moved branch: a new tip, and perhaps a new artifact of the
// git sources that follow it.
func (c *core) takePush(push Pushed, at time.Time) {
	tips := c.state.Local.Tips
	if push.After == noCommit || push.After == "" {
		delete(tips, push.Branch)
		delete(c.state.Local.TipsAt, push.Branch)
		delete(c.state.Local.ConfigHeads, push.Branch)
		c.sayDeleted(push.Branch)
		return
	}
	inOrder := push.Follows(tips[push.Branch]) && !c.state.Local.Rewound(push, at)
	if inOrder && c.follows(push.Branch) {
		c.seePush(push, at)
		c.advanceLine(push.Branch, push.After, push.Forced)
	}
	if push.Branch != c.state.Repo.DefaultBranch {
		c.noteConfigHead(push)
	}
	c.hintMerges(push)
	tip := push.After
	if !inOrder {
		tip = cmp.Or(tips[push.Branch], tip)
	}
	c.baseMoved(push, tip)
	c.seekDrift(push)
	c.landedAnyway(push)
	for _, f := range c.following(push, inOrder && push.Complete) {
		switch src := c.follower(f); {
		case src == nil:
		case inOrder:
			c.pushedSource(f.Pipeline, *src, push, at)
		default: // an old artifact must not pass for a new one
			c.lookAtTip(f.Pipeline, *src, "after/"+short(push.After))
		}
	}
}

// Rewound reports whether a push speaks of history that may have been taken away
// since: it is older than what was last seen of its branch, and leads somewhere
// else. It may seem to continue the branch, where that was forced back to an
// older commit.
func (l *Local) Rewound(push Pushed, at time.Time) bool {
	return !at.IsZero() && at.Before(l.TipsAt[push.Branch]) && push.After != l.Tips[push.Branch]
}

// seePush takes that a push left a branch at a commit.
func (c *core) seePush(push Pushed, at time.Time) {
	local := &c.state.Local
	local.Tips[push.Branch] = push.After
	if push.Forced {
		at = at.Add(time.Second) // what was pushed in the same second was before it
	}
	if at.After(local.TipsAt[push.Branch]) {
		local.TipsAt[push.Branch] = at
	}
}

// noteConfigHead remembers branches whose pushes touch pipeline files.
func (c *core) noteConfigHead(push Pushed) {
	for _, commit := range push.Commits {
		if slices.ContainsFunc(commit.Paths, IsConfigPath) {
			c.state.Local.ConfigHeads[push.Branch] = true
		}
	}
}

// IsConfigPath reports whether a path of the repository may be a pipeline file.
func IsConfigPath(p string) bool {
	dir, file := path.Split(p)
	ext := path.Ext(file)
	if ext != ".yml" && ext != ".yaml" {
		return false
	}
	return dir == ".github/stagecoach/" || dir == ".github/" && strings.TrimSuffix(file, ext) == "stagecoach"
}

// pushedSource decides by the push alone where it can, and asks git where the
// payload does not tell everything.
func (c *core) pushedSource(pipeline string, src Source, push Pushed, at time.Time) {
	if !push.Complete || c.undecided(src, push) {
		c.lookAtSource(pipeline, src, c.artifactCommit(pipeline, src.Name), push.After)
		return
	}
	for _, commit := range slices.Backward(push.Commits) {
		if !c.oursIn(commit, push.Branch) && src.Git.Touches(commit.Paths) {
			c.addArtifact(pipeline, c.gitArtifact(src, push, commit, at))
			return
		}
	}
}

// undecided reports whether a push touches what the source watches, but may have left
// it as it was: each path of it was changed by more than one commit, and the last may
// have taken the first back. Nothing that one commit alone changed is so.
func (c *core) undecided(src Source, push Pushed) bool {
	if len(push.Commits) < 2 || len(src.Git.Paths)+len(src.Git.Ignore) == 0 {
		return false
	}
	changes := map[string]int{}
	for _, commit := range push.Commits {
		if c.oursIn(commit, push.Branch) {
			continue
		}
		for _, p := range commit.Paths {
			if src.Git.Counts(p) {
				changes[p]++
			}
		}
	}
	for _, n := range changes {
		if n == 1 {
			return false
		}
	}
	return len(changes) > 0
}

func (c *core) artifactCommit(pipeline, source string) string {
	if ps := c.state.Pipelines[pipeline]; ps != nil {
		return ps.Artifacts[source].Commit
	}
	return ""
}

// gitArtifact is the tip of the push: what the branch holds now, told in the
// words of the commit that made it count.
func (c *core) gitArtifact(src Source, push Pushed, because PushedCommit, at time.Time) Artifact {
	return Artifact{
		Source: src.Name, Kind: "git", Repo: c.state.Repo.FullName(), Branch: push.Branch, Commit: push.After,
		Title: firstLine(because.Message), Author: push.Pusher, At: at, PullRequest: pullRequestOf(push.Commits),
	}
}

// ours reports whether a promotion made the commit: what a promotion landed
// makes no freight. A squash or merge made by a person may have lost the
// trailers; it still names the pull request and touches nothing else.
func (c *core) oursIn(commit PushedCommit, branch string) bool {
	if Trailer(commit.Message, TrailerPromotion) != "" {
		return true
	}
	return c.mergedBy(commit, branch) != nil
}

// mergedBy returns the live promotion whose pull request the commit seems to merge.
func (c *core) mergedBy(commit PushedCommit, branch string) *Promotion {
	for _, number := range mentioned(commit.Message) {
		p := c.byPullRequest(number)
		if p == nil || p.Plan != nil && p.Plan.Branch != branch {
			continue
		}
		within := func(file string) bool {
			return slices.ContainsFunc(p.Changes, func(ch Change) bool { return ch.Path == file })
		}
		if !slices.ContainsFunc(commit.Paths, func(file string) bool { return !within(file) }) {
			return p
		}
	}
	return nil
}

// hintMerges takes a push that seems to merge a promotion's pull request as the
// hint that it is: the event of the merge itself may be late or lost.
func (c *core) hintMerges(push Pushed) {
	for _, commit := range push.Commits {
		p := c.mergedBy(commit, push.Branch)
		if p == nil {
			if p = c.promotion(Trailer(commit.Message, TrailerPromotion)); p == nil || p.PullRequest == nil || p.Plan == nil || p.Plan.Branch != push.Branch {
				continue
			}
		}
		if p.Phase == PhaseWaiting && !p.PullRequest.Stale {
			c.own(p).PullRequest.Stale = true
			c.touchOf(p)
		}
	}
}

// landedAnyway takes commits of promotions that were thought to have ended
// without landing: what has landed has landed.
func (c *core) landedAnyway(push Pushed) {
	for _, commit := range push.Commits {
		p := c.promotion(Trailer(commit.Message, TrailerPromotion))
		if p == nil || p.Plan == nil || p.Plan.Branch != push.Branch || p.Plan.Deliver != DeliverCommit {
			continue
		}
		if c.landAfterAll(p, commit.SHA) {
			c.own(p).Commit = commit.SHA
		}
		c.pushedAfterAll(p, commit.SHA)
	}
}

// pushedAfterAll takes the event of a push for its answer, if that is missing: when
// the promotion is ended meanwhile nobody looks for it any more.
func (c *core) pushedAfterAll(p *Promotion, commit string) {
	for i := range p.Steps {
		e := c.state.Local.Pending[stepID(p.Name, i)]
		if e != nil && (e.Look || e.Cancelled) && p.Plan.Steps[i].Uses == "git-push" && !p.Plan.Steps[i].PushesTag() {
			c.takeResult(Result{Effect: e.ID, Phase: StepSucceeded, Pushed: p.Plan.Branch, Commit: commit, Landed: commit})
			return
		}
	}
}

// landAfterAll corrects how a promotion ended, now that its change is known to
// have landed. One that landed, or has not ended, stays as it is.
func (c *core) landAfterAll(p *Promotion, commit string) bool {
	if !p.Phase.Terminal() || p.Landed != "" {
		return false
	}
	config := c.state.Local.Config[p.Pipeline]
	stage := config.Stage(p.Stage)
	if p.Plan == nil && stage == nil {
		return false
	}
	p = c.own(p)
	if p.Plan == nil { // it went with the store
		p.Plan = NewPlan(config, stage, c.state.Repo.DefaultBranch)
		p.Steps = make([]StepState, len(p.Plan.Steps))
	}
	was := p.Phase
	p.Phase, p.Landed = PhaseRunning, commit
	c.land(p)
	p.Message += sentence(", although it was %s before that was known", was)
	return true
}

func (c *core) byPullRequest(number int) *Promotion {
	var found *Promotion
	for _, name := range c.somewhere(placePull + strconv.Itoa(number)) {
		for _, p := range c.state.Pipelines[name].Promotions {
			if p.PullRequest == nil || p.PullRequest.Number != number {
				continue
			}
			if found == nil || !p.Phase.Terminal() {
				found = p
			}
		}
	}
	return found
}

var mention = regexp.MustCompile(`#(\d{1,9})\b`)

func mentioned(message string) []int {
	var out []int
	for _, m := range mention.FindAllStringSubmatch(firstLine(message), -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// pullRequestOf is the pull request that brought the push, by GitHub's own
// wording of merge and squash commits; 0: none.
func pullRequestOf(commits []PushedCommit) int {
	if len(commits) == 0 {
		return 0
	}
	numbers := mentioned(commits[len(commits)-1].Message)
	if len(numbers) == 0 {
		return 0
	}
	return numbers[len(numbers)-1]
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}
