package ledger

import (
	"fmt"
	"slices"
	"strings"
)

// lively reports whether something goes on in a stage, or holds it.
func (p *pipe) lively(stage string) bool {
	s := p.stage(stage)
	return p.started(stage) != nil || len(p.queued(stage)) > 0 || p.stuck(stage) != nil ||
		s.Health.Bad || s.Freeze != nil || s.Paused != nil
}

// tableRows are the stages that share a row of the table: each has its own where
// that is not too many. left are those without a row; those in which nothing goes
// on are left out first.
func (v *view) tableRows(p *pipe) (shown [][]string, left []string) {
	rows := alone(p.stages)
	if len(rows) > v.most.stages && p.config != nil {
		rows = v.merged(p)
	}
	keep, room := make([]bool, len(rows)), v.most.stages
	for _, lively := range []bool{true, false} {
		for i, row := range rows {
			if room > 0 && p.lively(row[0]) == lively {
				keep[i], room = true, room-1
			}
		}
	}
	for i, row := range rows {
		if keep[i] {
			shown = append(shown, row)
		} else {
			left = append(left, row...)
		}
	}
	return shown, left
}

// merged puts stages into one row that stand side by side, hold the same, and in
// which nothing goes on.
func (v *view) merged(p *pipe) [][]string {
	var rows [][]string
	for _, node := range sideBySide(p) {
		place := map[string]int{}
		for _, stage := range node {
			key := p.alike(stage)
			i, known := place[key]
			if !known || p.lively(stage) {
				i, rows = len(rows), append(rows, nil)
				if !p.lively(stage) {
					place[key] = i
				}
			}
			rows[i] = append(rows[i], stage)
		}
	}
	return rows
}

// alike is equal for quiet stages that a row can speak of together.
func (p *pipe) alike(stage string) string {
	at := p.stage(stage).Current
	if at == nil {
		return fmt.Sprint(p.config.Stage(stage).Auto)
	}
	_, verified := p.stage(stage).Verified[at.Freight]
	return fmt.Sprint(p.config.Stage(stage).Auto, verified, at.Freight)
}

// quietRow is the row of several stages in which nothing goes on.
func (v *view) quietRow(p *pipe, stages []string) []string {
	names, hidden := first(stages, 3)
	text := enumerate(names)
	if hidden > 0 {
		text = strings.Join(harmless(names), ", ") + " " + more(hidden)
	}
	runs := dash
	if at := p.stage(stages[0]).Current; at != nil {
		runs = v.freight(p, at.Freight)
	}
	next := code("/promote STAGE")
	if p.config.Stage(stages[0]).Auto {
		next = "automatic"
	}
	return []string{text, runs, dash, v.healthCell(p, stages[0]), dash, dash, next}
}

// leftOut says how many stages have no row and, if it is so, that nothing goes on
// in any of them.
func leftOut(p *pipe, left []string) string {
	if len(left) == 0 {
		return ""
	}
	text := "\n" + more(len(left)) + " stages"
	if !slices.ContainsFunc(left, p.lively) {
		text += ", in which nothing goes on"
	}
	return text + ".\n"
}
