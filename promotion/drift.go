package promotion

import (
	"slices"
	"time"
)

// Drift is that what a stage's last promotion wrote does not stand there any more:
// somebody changed it by hand. It is shown until a promotion lands there again, or
// until it is changed back.
type Drift struct {
	Files  []string  `json:"files"`
	Commit string    `json:"commit"` // the tip with which it was seen
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
}

// seekDrift takes that somebody pushed to a branch that stages write. A stage whose
// files are touched is looked at; a push of promotions, or of other files, costs
// nothing.
func (c *core) seekDrift(push Pushed) {
	var where []string
	if push.Complete {
		where = c.somewhere(touchedKeys(push.Commits)...)
	} else {
		where = sortedKeys(c.state.Local.Config)
	}
	for _, name := range where {
		p := c.state.Local.Config[name]
		for i := range p.stages() {
			at := c.state.stageOf(name, p.Stages[i].Name).Current
			if at == nil || at.Held || at.Commit == "" || c.branchOf(&p.Stages[i]) != push.Branch || !c.byOthers(push, at) {
				continue
			}
			c.effect(Effect{
				ID: sentence("drift/%s/%s/%s", name, p.Stages[i].Name, short(push.After)), Kind: KindDrift,
				Pipeline: name, Stage: p.Stages[i].Name, Branch: push.Branch, SHA: push.After, Text: at.Commit, Login: push.Pusher,
			})
		}
	}
}

// byOthers reports whether a push may have changed what a landing wrote: a commit
// of somebody else touches its files.
func (c *core) byOthers(push Pushed, at *Landing) bool {
	if len(at.Files) == 0 || push.After == at.Commit {
		return false
	}
	return !push.Complete || slices.ContainsFunc(push.Commits, func(k PushedCommit) bool {
		return k.SHA != at.Commit && len(touching(k.Paths, at.Files)) > 0 && !c.oursIn(k, push.Branch)
	})
}

// driftSeen takes which of a landing's files do not hold any more what it wrote.
func (c *core) driftSeen(e *Effect, r Result) {
	known := c.state.stageOf(e.Pipeline, e.Stage)
	if known.Current == nil || known.Current.Commit != e.Text {
		return // something landed there since
	}
	st := c.stage(e.Pipeline, e.Stage)
	if st.Drift = nil; len(r.Conflicts) > 0 {
		st.Drift = &Drift{Files: r.Conflicts[:min(len(r.Conflicts), maxChanges)], Commit: e.SHA, By: e.Login, At: c.now}
	}
	c.tellDrift(e.Pipeline, e.Stage, st.Drift)
}

// tellDrift says it under problems, or takes that back.
func (c *core) tellDrift(pipeline, stage string, d *Drift) {
	key := "drift/" + pipeline + "/" + stage + "/"
	c.dropProblems(key)
	if d == nil {
		return
	}
	by := ""
	if d.By != "" {
		by = " by " + d.By
	}
	c.problem(Problem{Key: key, Text: sentence(
		"%s was changed by hand: what its last promotion wrote in %s is not there any more since %s%s. The next promotion there puts its own in place of it, and shows what goes",
		StageRef(pipeline, stage), someOf(d.Files), short(d.Commit), by)})
}

// wrote are the files that a landing of the promotion wrote.
func (p *Promotion) wrote() []string {
	if p.Empty {
		return nil
	}
	return p.paths()
}
