package promotion

import (
	"cmp"
	"slices"
)

// maxRedos bounds how often the edit of one pull request is made anew before a
// person has to say that it shall go on: a branch that never rests would ask for
// approvals for ever.
const maxRedos = 20

// Redo is the edit of an open pull request that is made anew, because it
// conflicts with its base or must be up to date with it to merge (promise 12).
// The former edit stands until the new one is whole.
type Redo struct {
	Why   string            `json:"why"`             // ends a sentence: "it conflicted with main"
	Tip   string            `json:"tip,omitempty"`   // of the base, that it is put on; empty: the one when it begins
	Force bool              `json:"force,omitempty"` // somebody said that what people changed there is overwritten
	Begun bool              `json:"begun,omitempty"` // false: the step under way has to answer first
	Again string            `json:"again,omitempty"` // the base moved there meanwhile: it is compared once more; empty: it did not
	Gone  map[string]string `json:"gone,omitempty"`  // files of it that the base does not hold any more, and where they are now; "": nowhere
	Files []string          `json:"files,omitempty"` // in which people changed what the edit changes
	Was   Edit              `json:"was,omitzero"`    // the former edit, once it has begun
}

// Edit is what the steps of a promotion came to.
type Edit struct {
	Steps   []StepState `json:"steps,omitempty"`
	Mounts  []Mount     `json:"mounts,omitempty"`
	Commit  string      `json:"commit,omitempty"`
	Changes []Change    `json:"changes,omitempty"`
}

// holdsOurs reports whether the promotion's open pull request holds its own
// commit and nothing else: only then its head may change by us.
func (p *Promotion) holdsOurs() bool {
	return p.pullIsOpen() && p.Commit != "" && p.PullRequest.Head == p.Commit
}

// pullIsOpen reports whether the promotion waits for the merge of its own pull request.
func (p *Promotion) pullIsOpen() bool {
	return p.Phase.Started() && p.Verify == nil && p.Plan != nil && p.Plan.Deliver == DeliverPullRequest &&
		p.PullRequest != nil && p.PullRequest.State == "open"
}

// redoing reports whether its edit is being made anew.
func (p *Promotion) redoing() bool { return p.Redo != nil && p.Redo.Begun }

// wantRedo has the edit made anew as soon as no step is under way.
func (c *core) wantRedo(p *Promotion, r Redo) {
	p = c.own(p)
	switch {
	case p.Redo != nil:
		return
	case p.Redos >= maxRedos:
		p.Clash = &Clash{Head: p.PullRequest.Head, Text: sentence("Its edit was made anew %d times, because %s moved on", p.Redos, p.Plan.Branch)}
	default:
		p.Redo = &r
	}
	c.touchOf(p)
}

// beginRedo begins the edit anew that is wanted. Its steps run as at first, as
// another attempt with records of its own. What was made before is kept beside.
func (c *core) beginRedo(p *Promotion) {
	if p.Redo == nil || p.Redo.Begun || p.Ending != nil || c.pendingStep(p) {
		return
	}
	p = c.own(p)
	if Outcome(p) != StepSucceeded { // it ends
		p.Redo = nil
		return
	}
	if !p.holdsOurs() { // somebody pushed meanwhile, and may have resolved it
		p.Redo = nil
		c.askGitHub(p)
		return
	}
	next := *p.Redo
	next.Begun, next.Was = true, Edit{slices.Clone(p.Steps), p.Mounts, p.Commit, p.Changes}
	p.Redo, p.Clash, p.MergeTried, p.Queued = &next, nil, false, false
	p.Replays++
	p.Redos++
	p.beginEdit()
}

// beginEdit lets the steps run again that make and deliver the edit. The one that
// waits for the merge goes on waiting.
func (p *Promotion) beginEdit() {
	for i := range p.Steps {
		if waitsForMerge(p.Plan.Steps[i].Uses) {
			break
		}
		p.Steps[i] = StepState{}
	}
	p.Mounts, p.Commit, p.Changes, p.Empty = nil, "", nil, false
	p.Phase, p.Message = PhaseRunning, ""
}

func waitsForMerge(uses string) bool { return uses == usesWait || uses == usesMerge }

// pushedAnew takes that the new edit is on the branch: it is the head now, and
// what was approved before is not what stands there.
func (c *core) pushedAnew(p *Promotion) {
	if p.PullRequest.Head != p.Commit {
		pull := p.PullRequest
		pull.Before, pull.Head, pull.HeadAt = pull.Head, p.Commit, c.now
	}
}

// redone takes that the new edit is whole.
func (c *core) redone(p *Promotion) {
	again := p.Redo.Again
	p.Redo = nil
	if again != "" {
		c.compare(p, again)
	}
}

// redoFailed takes that the edit could not be made anew: the former one stands,
// and a person decides.
func (c *core) redoFailed(p *Promotion) {
	r, why := p.Redo, cmp.Or(c.blame(p, StepErrored), c.blame(p, StepFailed))
	p.Redo = nil
	p.Steps, p.Mounts, p.Commit, p.Changes, p.Empty = slices.Clone(r.Was.Steps), r.Was.Mounts, r.Was.Commit, r.Was.Changes, false
	p.Phase = PhaseWaiting
	if p.PullRequest.Head != p.Commit {
		c.askGitHub(p) // somebody pushed meanwhile: it is theirs now
	} else {
		p.Clash = c.clashOf(p, r, why)
	}
	c.touchOf(p)
}

// endRedo ends a new edit together with its promotion. Which of the two commits
// the branch holds may not be known, so both stay known.
func (p *Promotion) endRedo() {
	p.Clash = nil
	if !p.redoing() {
		p.Redo = nil
		return
	}
	ended := *p.Redo
	ended.Was.Steps = nil
	p.Redo = &ended
}

// emptyAnew reports whether the new edit changes nothing any more: somebody made
// the same change by hand.
func (p *Promotion) emptyAnew() bool { return p.Redo != nil && p.Empty && p.Commit == "" }

// takeRedoStep takes what a step of the new edit came to, and returns it as it
// counts.
func (c *core) takeRedoStep(p *Promotion, e *Effect, r Result) Result {
	switch uses := p.Plan.Steps[e.Step].Uses; {
	case uses == "git-push" && len(r.Conflicts) > 0:
		found := *p.Redo
		found.Files = r.Conflicts
		p.Redo = &found
	case uses == "git-push" && r.Err == nil && p.Commit != "":
		c.pushedAnew(p)
	case uses == "git-open-pr" && r.Err != nil && len(p.Redo.Was.Steps) > e.Step:
		was := p.Redo.Was.Steps[e.Step] // the pull request is there: that its text is old is no reason to close it
		return Result{Phase: was.Phase, Output: was.Output, Message: was.Message + "; its text is that of the former edit: " + r.Err.Error()}
	}
	return r
}
