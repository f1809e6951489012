package ledger

import (
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// queue lists what waits for its turn, stage by stage, the next one first.
func (v *view) queue() string {
	var rows [][]string
	hidden := 0
	for _, p := range v.pipes {
		for _, stage := range queuedStages(p) {
			for _, one := range p.queued(stage) {
				if len(rows) == v.most.rows {
					hidden++
					continue
				}
				rows = append(rows, v.queueRow(p, one))
			}
		}
	}
	if len(rows) == 0 {
		return ""
	}
	out := "### Queue\n" + table([]string{"stage", "freight", "by", "since", "waits for"}, rows)
	if hidden > 0 {
		out += "\n" + more(hidden) + ".\n"
	}
	return out
}

// queuedStages are the pipeline's stages in order, then those that only
// promotions know: a stage may be gone from the config.
func queuedStages(p *pipe) []string {
	stages := slices.Clone(p.stages)
	for _, one := range p.state.Promotions {
		if one != nil && !slices.Contains(stages, one.Stage) {
			stages = append(stages, one.Stage)
		}
	}
	return stages
}

func (v *view) queueRow(p *pipe, one *promotion.Promotion) []string {
	return []string{
		stageName(p.name, one.Stage), v.freight(p, one.Freight),
		v.by(one) + priority(one), moment(one.CreatedAt, v.now), v.turn(p, one),
	}
}

// turn is what a queued promotion waits for. It is told from what holds now; the
// promotion's message may speak of the time when it was queued.
func (v *view) turn(p *pipe, one *promotion.Promotion) string {
	missing, held := p.missing(one.Stage, one.Freight), holding(one)
	switch {
	case v.s.Repo.Idle != "":
		return "the repository, where nothing runs"
	case p.config == nil:
		return "the pipeline's config"
	case len(held) > 0:
		return v.allGates(held)
	case len(one.Gates) == 0 && len(missing) > 0:
		return enumerate(missing) + " to verify it"
	case p.upNext(one.Stage) == one && p.started(one.Stage) == nil:
		return "nothing, it starts next"
	}
	return "its turn"
}

// allGates are gates in the order in which the core tells them.
func (v *view) allGates(gates []promotion.Gate) string {
	parts := make([]string, len(gates))
	for i, g := range gates {
		parts[i] = gateMark(g) + " " + gateText(g, v.now, v.most.text)
	}
	return strings.Join(parts, " · ")
}

// by is who made a promotion, for a cell.
func (v *view) by(one *promotion.Promotion) string {
	if one.Automatic {
		return "automatic"
	}
	return person(v.links, one.RequestedBy)
}

func priority(one *promotion.Promotion) string {
	switch one.Priority {
	case promotion.PriorityRollback:
		return " (rollback)"
	case promotion.PriorityNow:
		return " (now)"
	}
	return ""
}

// results lists what ended last.
func (v *view) results() string {
	ended := v.all(func(p *promotion.Promotion) bool { return p.Phase.Terminal() })
	if len(ended) == 0 {
		return ""
	}
	slices.SortFunc(ended, func(a, b owned) int { return lastFirst(a.Promotion, b.Promotion) })
	ended, _ = first(ended, min(lastResults, v.most.rows))
	var rows [][]string
	for _, one := range ended {
		rows = append(rows, []string{
			when(one.EndedAt, v.now), stageName(one.pipe.name, one.Stage),
			v.freight(one.pipe, one.Freight), v.outcome(one.Promotion), v.by(one.Promotion),
		})
	}
	return "### Last results\n" + table([]string{"when", "stage", "freight", "result", "by"}, rows)
}

// outcome is how a promotion ended, in a few words.
func (v *view) outcome(p *promotion.Promotion) string {
	text := phaseMark(p) + " "
	switch {
	case p.Phase != promotion.PhaseSucceeded || p.Landed == "":
		return text + told(p, v.most.text)
	case p.Message == "":
		return text + landed(v.links, v.repo(), p)
	}
	text += sentence(shorten(p.Message, v.most.text))
	if past := pastGates(p); past != "" && !strings.Contains(p.Message, " past ") {
		text += ", merged past " + past
	}
	return text + ": " + commit(v.links, v.repo(), p.Landed) + v.pull(p)
}

// pastGates names the gates that were shut when somebody merged all the same.
func pastGates(p *promotion.Promotion) string {
	shown, hidden := first(p.Past, 10)
	if hidden > 0 {
		return codes(shown) + " " + more(hidden)
	}
	return codes(shown)
}

// landed is "landed 3f9c2e1 by #209 in 4 s".
func landed(links Links, repo string, p *promotion.Promotion) string {
	text := "landed " + commit(links, repo, p.Landed)
	if p.PullRequest != nil {
		text += " by " + number(links, repo, p.PullRequest.Number)
	}
	if !p.StartedAt.IsZero() && !p.EndedAt.Before(p.StartedAt) {
		text += " in " + promotion.Lasting(p.EndedAt.Sub(p.StartedAt))
	}
	return text
}
