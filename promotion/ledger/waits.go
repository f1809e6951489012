package ledger

import (
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// unhealthy are the stages whose freight fares badly, which nothing goes on from.
func (v *view) unhealthy() []string {
	var items []string
	for _, p := range v.pipes {
		for _, stage := range p.stages {
			health := p.stage(stage).Health
			if !health.Bad {
				continue
			}
			item := markBad + " " + v.ref(p, stage) + " unhealthy" + since(health.Since, v.now)
			if health.Why != "" {
				item += ": " + sentence(shorten(health.Why, v.most.text))
			}
			item = closed(item)
			if at := p.stage(stage).Current; at != nil {
				item += " It runs " + v.runs(p, at) + "."
			}
			items = append(items, item+" "+v.cure(p, stage))
		}
	}
	return items
}

// cure is what makes an unhealthy stage healthy again. One that is being rolled
// back has its cure under way.
func (v *view) cure(p *pipe, stage string) string {
	for _, one := range slices.Concat([]*promotion.Promotion{p.started(stage)}, p.queued(stage)) {
		if one != nil && one.Priority == promotion.PriorityRollback {
			return markBack + " rolling back to " + v.freight(p, one.Freight) + "."
		}
	}
	return "Mend it with newer freight, or go back with " + command("rollback", p.name, stage) + "."
}

// asking are the promotions that wait at a gate for somebody's answer.
func (v *view) asking() []string {
	var items []string
	for _, p := range v.pipes {
		for _, one := range p.promotions(needsPerson) {
			gate := asking(holding(one))
			if gate == nil {
				continue
			}
			item := markPerson + " " + v.ref(p, one.Stage) + " " + v.demand(*gate) + ": " + v.freight(p, one.Freight) + v.pull(one) + "," + since(waitsSince(one), v.now) + "."
			if config := p.config.Stage(one.Stage); gate.Name == promotion.GateApprovals && config != nil {
				item += " " + approveBy(p, config) + v.box("approve", p.name, one.Stage)
			}
			if gate.Name == promotion.GateConflict {
				item += " " + resolve(v.links, v.repo(), one)
				if one.Clash != nil && one.Clash.Head == one.Commit {
					item += v.box("retry", p.name, one.Stage)
				}
			}
			items = append(items, item)
		}
	}
	return items
}

// demand is what a gate wants, as the end of a sentence about a stage.
func (v *view) demand(g promotion.Gate) string {
	text := gateText(g, v.now, v.most.text)
	if what, ok := strings.CutPrefix(text, "Waiting for "); ok {
		return "waits for " + what
	}
	return "waits for a person (" + text + ")"
}

// approveBy says how to approve and whose approval counts.
func approveBy(p *pipe, stage *promotion.Stage) string {
	text := "Comment " + command("approve", p.name, stage.Name)
	if stage.Deliver == promotion.DeliverPullRequest {
		text += ", or approve the pull request"
	}
	if stage.Gates.Approvals == nil {
		return text + "."
	}
	if of := approvers(stage.Gates.Approvals); of != "" {
		text += "; it takes one " + of
	}
	return text + "."
}

// pull is ", #214" for a promotion with a pull request.
func (v *view) pull(one *promotion.Promotion) string {
	if one.PullRequest == nil || one.PullRequest.Number == 0 {
		return ""
	}
	return ", " + number(v.links, v.repo(), one.PullRequest.Number)
}

// merges are the open pull requests that nothing but a merge is missing to, or
// that GitHub did not let the app merge.
func (v *view) merges() []string {
	var items []string
	for _, p := range v.pipes {
		for _, one := range p.promotions(needsPerson) {
			if len(holding(one)) > 0 {
				continue
			}
			items = append(items, markPerson+" "+v.ref(p, one.Stage)+" "+v.missesMerge(one)+": "+v.freight(p, one.Freight)+","+since(waitsSince(one), v.now)+".")
		}
	}
	return items
}

func (v *view) missesMerge(one *promotion.Promotion) string {
	pull := number(v.links, v.repo(), one.PullRequest.Number)
	if mergesItself(one) {
		why := strings.TrimPrefix(one.Message, "Waiting until GitHub allows the merge: ")
		return "waits until GitHub allows the merge of " + pull + " (" + sentence(shorten(why, v.most.text)) + ")"
	}
	return "waits for the merge of " + pull
}

// paused are the stages where nothing promotes itself any more.
func (v *view) paused() []string {
	var items []string
	for _, p := range v.pipes {
		for _, stage := range p.stages {
			if m := p.stage(stage).Paused; m != nil {
				items = append(items, markPerson+" "+v.ref(p, stage)+" paused"+v.set(m)+" Nothing promotes itself there until "+
					command("resume", p.name, stage)+" or "+command("promote", p.name, stage)+".")
			}
		}
	}
	return items
}
