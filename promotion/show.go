package promotion

import (
	"reflect"
	"slices"
	"time"
)

// queueShown is how many of a stage's queue say what they wait for.
const queueShown = 10

// mayStart reports whether a queued promotion may start now: every gate of its
// start is open, and nothing of an earlier attempt is left.
func (c *core) mayStart(p *Pipeline, stage *Stage, pr *Promotion) bool {
	gates := c.startGates(request{p, stage, pr.Freight, pr})
	if shut(gates) != nil {
		c.lookAgain(pr, gates) // however far back it stands
		return false
	}
	return c.state.FreightByID(p.Name, pr.Freight) != nil && c.tidy(pr)
}

// tellQueue says on the first of a queue what they wait for, and looks at them
// again when that may change by itself.
func (c *core) tellQueue(p *Pipeline, stage *Stage, queue *Queue) {
	for i, pr := range queue.All() {
		if i == queueShown {
			return
		}
		gates := c.startGates(request{p, stage, pr.Freight, pr})
		why := ""
		if gate := shut(gates); gate != nil {
			why = gate.Text
		}
		c.lookAgain(pr, gates)
		c.show(pr, gates, why)
	}
}

// lookAgain looks at a promotion again when one of its gates may change by itself.
func (c *core) lookAgain(pr *Promotion, gates []Gate) {
	for _, g := range gates {
		c.at(pr.Pipeline, pr.Stage, g.Until)
	}
}

func (c *core) show(pr *Promotion, gates []Gate, why string) {
	if pr.Message == why && reflect.DeepEqual(pr.Gates, gates) {
		return
	}
	pr = c.own(pr)
	pr.Gates, pr.Message = gates, why
}

// drive moves a started promotion on, as far as it goes without an answer.
func (c *core) drive(pr *Promotion) {
	if c.timeOut(pr); c.promotion(pr.Name).Phase.Terminal() {
		return
	}
	pr = c.promotion(pr.Name)
	if pr.Verify != nil {
		c.verify(pr)
		return
	}
	c.beginRedo(pr)
	pr = c.promotion(pr.Name)
	c.judgeMerge(pr)
	c.nextStep(c.promotion(pr.Name))
}

// judgeMerge judges the gates that hold the merge of an open pull request, by
// the config of now. What opened the start stands beside them.
func (c *core) judgeMerge(pr *Promotion) {
	gates, known := c.gatesOfMerge(pr)
	if !known {
		return
	}
	c.lookAgain(pr, gates)
	shown := slices.Clone(gates)
	for _, g := range pr.Gates {
		if g.Name == GateAfter || g.Name == GateSoak || g.Name == GateChecks {
			shown = append(shown, g)
		}
	}
	for i := range shown {
		if shown[i].Status == GateOpen && shown[i].Name != GateWindows {
			shown[i].Until = time.Time{}
		}
	}
	if shown = inOrder(shown); !reflect.DeepEqual(shown, pr.Gates) {
		pr = c.own(pr)
		pr.Gates, pr.MergeTried = shown, false
	}
}

// gatesOfMerge are the gates that hold the merge of a promotion's open pull
// request; known is false where there is none.
func (c *core) gatesOfMerge(pr *Promotion) (gates []Gate, known bool) {
	config := c.state.Local.Config[pr.Pipeline]
	stage := config.Stage(pr.Stage)
	if pr.PullRequest == nil || pr.PullRequest.State != "open" {
		return nil, false
	}
	if stage == nil { // its gates are not known: a gate that cannot be read is closed
		return []Gate{{Name: GateConfig, Status: GateClosed, Person: true, Text: "The config cannot be read, so its gates are not known"}}, true
	}
	return c.mergeGates(request{config, stage, pr.Freight, pr}), true
}

// whyUnmerged says what an open pull request waits for.
func (c *core) whyUnmerged(pr *Promotion) string {
	gates, _ := c.gatesOfMerge(pr)
	if gate := shut(gates); gate != nil {
		return gate.Text
	}
	return "Waiting for merge: all gates are open"
}

// pastGates names the gates that are shut although the pull request was merged.
func (c *core) pastGates(pr *Promotion) []string {
	config := c.state.Local.Config[pr.Pipeline]
	stage := config.Stage(pr.Stage)
	if stage == nil || pr.PullRequest == nil || !pr.Phase.Started() || pr.emptyAnew() {
		return nil
	}
	var out []string
	for _, g := range without(c.mergeGates(request{config, stage, pr.Freight, pr}), GateConflict) {
		if g.Status != GateOpen {
			out = append(out, g.Name)
		}
	}
	return out
}

// freezeEnd is when the freeze of a stage ends by itself; zero: there is none,
// or it does not.
func (c *core) freezeEnd(pipeline, stage string) time.Time {
	if m := c.state.stageOf(pipeline, stage).Freeze; m != nil {
		return m.Until
	}
	return time.Time{}
}
