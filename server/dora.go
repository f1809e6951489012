package server

import "github.com/stagecoach-app/stagecoach/promotion"

// moved counts what became of promotions and stages between two states. Only the process that worked on a repository
// sees it happen, so that the counts of several replicas add up.
func (m *measures) moved(before, after *promotion.State) {
	if before == nil { // the first look: what is there happened before us
		return
	}
	repository := after.Repo.FullName()
	for name, ps := range after.Pipelines {
		was := before.Pipelines[name]
		if was == ps {
			continue // nothing changed in it
		}
		if was == nil {
			was = &promotion.PipelineState{}
		}
		old := byName(was.Promotions)
		for _, p := range ps.Promotions {
			m.promoted(repository, ps, old[p.Name], p)
		}
		promotions := byName(ps.Promotions)
		for stage, s := range ps.Stages {
			if earlier := was.Stages[stage]; earlier != nil {
				at := m.place(repository, name, stage)
				m.healed(earlier, s, at)
				m.undone(earlier, s, promotions, at)
			}
		}
	}
}

func byName(list []*promotion.Promotion) map[string]*promotion.Promotion {
	out := make(map[string]*promotion.Promotion, len(list))
	for _, p := range list {
		out[p.Name] = p
	}
	return out
}

// promoted counts a promotion that landed or ended. before is nil for one that is new.
func (m *measures) promoted(repository string, ps *promotion.PipelineState, before, p *promotion.Promotion) {
	if before == nil {
		before = &promotion.Promotion{}
	}
	at := m.place(repository, p.Pipeline, p.Stage)
	if before.LandedAt.IsZero() && !p.LandedAt.IsZero() && p.Landed != "" { // it changed something
		m.duration.Observe(p.LandedAt.Sub(p.CreatedAt).Seconds(), at...)
		if p.Priority != promotion.PriorityRollback {
			m.landings.Add(1, at...)
			if f := freightOf(ps, p.Freight); f != nil {
				m.leadTime.Observe(p.LandedAt.Sub(f.CreatedAt).Seconds(), at...)
			}
		}
	}
	if !p.Phase.Terminal() || before.Phase != "" && before.Phase.Terminal() {
		return
	}
	m.ended.Add(1, append(at, string(p.Phase))...)
	if changeFailed(p) {
		m.changeFailures.Add(1, at...)
	}
}

// changeFailed says whether what a promotion brought was found bad where it landed.
func changeFailed(p *promotion.Promotion) bool {
	return p != nil && p.Phase == promotion.PhaseFailed && p.Landed != "" && p.Priority != promotion.PriorityRollback
}

// undone counts what somebody rolled back from, unless verification has said no to it, which counts already.
func (m *measures) undone(before, after *promotion.StageState, promotions map[string]*promotion.Promotion, at []string) {
	was, is := before.Current, after.Current
	if was != nil && is != nil && was.Promotion == is.Promotion && !was.Undone && is.Undone && !changeFailed(promotions[is.Promotion]) {
		m.changeFailures.Add(1, at...)
	}
}

// healed takes the time that a stage was not healthy.
func (m *measures) healed(before, after *promotion.StageState, at []string) {
	if before.Health.Bad && !after.Health.Bad {
		m.restoreTime.Observe(m.now().Sub(before.Health.Since).Seconds(), at...)
	}
}

func freightOf(ps *promotion.PipelineState, id string) *promotion.Freight {
	for _, f := range ps.Freight {
		if f.ID == id {
			return f
		}
	}
	return nil
}
