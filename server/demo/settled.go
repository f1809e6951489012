package demo

import (
	"fmt"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// unsettled says what the server still has to do before it waits for a person;
// "" when nothing. wanted is a commit that must have become freight; "": none.
func (v *view) unsettled(wanted string) string {
	if v.state == nil {
		return "the tracking issue"
	}
	for _, name := range v.pipelineNames() {
		ps := v.state.Pipelines[name]
		if ps == nil {
			return "the pipeline " + name + " to be taken up"
		}
		if len(ps.Broken) > 0 || ps.Gone {
			continue // nothing will move
		}
		for _, open := range []string{v.lacksFreight(name, ps, wanted), v.moving(name, ps), v.mayStart(name, ps)} {
			if open != "" {
				return open
			}
		}
	}
	return ""
}

func (v *view) lacksFreight(name string, ps *promotion.PipelineState, wanted string) string {
	if len(ps.Freight) == 0 {
		return "the first freight of the pipeline " + name
	}
	made := func(f *promotion.Freight) bool {
		return slices.ContainsFunc(f.Artifacts, func(a promotion.Artifact) bool { return a.Commit == wanted })
	}
	if wanted != "" && !slices.ContainsFunc(ps.Freight, made) {
		return "freight of the commit " + short(wanted)
	}
	return ""
}

// moving says which promotion is on its way by itself.
func (v *view) moving(pipeline string, ps *promotion.PipelineState) string {
	for _, p := range ps.Promotions {
		var open string
		switch {
		case p.Phase == promotion.PhaseRunning:
			open = "to end its steps"
		case p.Phase == promotion.PhaseWaiting:
			open = v.notWaiting(p)
		case p.Phase == promotion.PhaseSucceeded && p.Landed != "":
			open = v.notTold(p)
		}
		if open != "" {
			return fmt.Sprintf("%s (%s) %s", promotion.StageRef(pipeline, p.Stage), p.Name, open)
		}
	}
	return ""
}

// notWaiting says what is missing before people see that it waits for them.
func (v *view) notWaiting(p *promotion.Promotion) string {
	if p.PullRequest == nil {
		return ""
	}
	pr, found := v.pull(p.PullRequest.Number)
	switch {
	case !found || pr.State != "open":
		return fmt.Sprintf("to land, #%d is %s", p.PullRequest.Number, pr.State)
	case v.lacksCheck(p.Name, pr.HeadSHA):
		return "to write its check run on " + short(pr.HeadSHA)
	}
	return ""
}

// notTold says what is missing after it landed.
func (v *view) notTold(p *promotion.Promotion) string {
	if v.lacksCheck(p.Name, p.Landed) {
		return "to write its check run on " + short(p.Landed)
	}
	branch := promotion.BranchName(p.Pipeline, p.Stage, p.Name)
	if v.tips[branch] != "" {
		return "to delete its branch"
	}
	return ""
}

func (v *view) lacksCheck(name, sha string) bool {
	c, found := v.check(name, sha)
	return !found || c.Status != "completed"
}

// mayStart says which promotion could start, and has not: automatic ones that
// are not queued yet, and queued ones whose stage is free.
func (v *view) mayStart(pipeline string, ps *promotion.PipelineState) string {
	config := v.pipelines[pipeline]
	for i := range config.Stages {
		stage := &config.Stages[i]
		queued, held := false, false
		for _, p := range ps.Promotions {
			if p.Stage == stage.Name {
				held = held || p.Phase.Started()
				queued = queued || p.Phase == promotion.PhaseQueued && eligible(ps, stage, p.Freight)
			}
		}
		if queued && !held {
			return promotion.StageRef(pipeline, stage.Name) + " to start what is queued"
		}
		if f := newestEligible(ps, stage); stage.Auto && f != nil && !taken(ps, stage, f) {
			return promotion.StageRef(pipeline, stage.Name) + " to promote by itself"
		}
	}
	return ""
}

// newestEligible is the newest freight that may go to the stage, or nil.
func newestEligible(ps *promotion.PipelineState, stage *promotion.Stage) *promotion.Freight {
	var found *promotion.Freight
	for _, f := range ps.Freight {
		if eligible(ps, stage, f.ID) && (found == nil || f.Number > found.Number) {
			found = f
		}
	}
	return found
}

// taken reports whether the stage has promoted the freight by itself, or holds
// it or newer one.
func taken(ps *promotion.PipelineState, stage *promotion.Stage, f *promotion.Freight) bool {
	st := ps.Stages[stage.Name]
	if st == nil {
		return false
	}
	if st.Tried[f.ID] {
		return true
	}
	return st.Current != nil && slices.ContainsFunc(ps.Freight, func(o *promotion.Freight) bool {
		return o.ID == st.Current.Freight && o.Number >= f.Number
	})
}
