package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// alone gives each stage a node of its own.
func alone(stages []string) [][]string {
	nodes := make([][]string, len(stages))
	for i, stage := range stages {
		nodes[i] = []string{stage}
	}
	return nodes
}

// sideBySide puts the stages into one node that come after the same stages and
// lead to the same ones: the regions of a big pipeline. The order stays.
func sideBySide(p *pipe) [][]string {
	leadsTo := map[string][]string{}
	for _, stage := range p.stages {
		for _, after := range p.config.Stage(stage).After {
			leadsTo[after] = append(leadsTo[after], stage)
		}
	}
	var nodes [][]string
	place := map[string]int{}
	for _, stage := range p.stages {
		config := p.config.Stage(stage)
		key := fmt.Sprintf("%q %q %q", slices.Sorted(slices.Values(config.After)), config.AfterMode, leadsTo[stage])
		i, known := place[key]
		if !known {
			i = len(nodes)
			place[key], nodes = i, append(nodes, nil)
		}
		nodes[i] = append(nodes[i], stage)
	}
	return nodes
}

// tally counts the stages of a node that stand alike.
var tally = []struct{ mark, word string }{
	{markBad, "unhealthy or failed"}, {markPerson, "waiting for somebody"}, {markFrozen, "frozen"},
	{markRunning, "running"}, {markWaiting, "waiting"}, {markDone, "verified"}, {"", "empty"},
}

// many are the lines of a node with several stages: the first and the last of
// them, and how many stand how.
func (v *view) many(p *pipe, stages []string, text func(string, int) string) []string {
	counts := map[string]int{}
	for _, stage := range stages {
		counts[v.stageMark(p, stage)]++
	}
	lines := []string{
		text(stages[0], v.most.name) + " … " + text(stages[len(stages)-1], v.most.name),
		fmt.Sprintf("%d stages", len(stages)),
	}
	for _, each := range tally {
		if n := counts[each.mark]; n > 0 {
			lines = append(lines, strings.TrimLeft(fmt.Sprintf("%s %d %s", each.mark, n, each.word), " "))
		}
	}
	return lines
}

// stageMark is how a stage stands in one mark, the most urgent one.
func (v *view) stageMark(p *pipe, stage string) string {
	s, one, queue := p.stage(stage), p.started(stage), p.queued(stage)
	switch {
	case s.Health.Bad || p.stuck(stage) != nil:
		return markBad
	case one != nil && needsPerson(one), len(queue) > 0 && needsPerson(queue[0]), s.Paused != nil:
		return markPerson
	case v.frozen(p, stage) != nil:
		return markFrozen
	case one != nil && one.Phase == promotion.PhaseRunning:
		return markRunning
	case one != nil || len(queue) > 0:
		return markWaiting
	case s.Current == nil:
		return ""
	}
	if _, verified := s.Verified[s.Current.Freight]; !verified {
		return markWaiting
	}
	return markDone
}
