package server

import "github.com/stagecoach-app/stagecoach/promotion"

// progress logs each promotion that got into another phase, and counts what became of it.
func (s *Server) progress(before, after *promotion.State) {
	s.measures.moved(before, after)
	if before == nil {
		before = &promotion.State{}
	}
	for name, ps := range after.Pipelines {
		earlier := before.Pipelines[name]
		if earlier == ps {
			continue // nothing changed in it
		}
		for _, p := range ps.Promotions {
			var was promotion.Phase
			if old := earlier.Promotion(p.Name); old != nil {
				was = old.Phase
			}
			if was == p.Phase {
				continue
			}
			s.Log.Info().Str("repository", after.Repo.FullName()).Str("promotion", p.Name).Str("pipeline", name).
				Str("stage", p.Stage).Str("phase", string(p.Phase)).Str("was", string(was)).Msg(p.Message)
		}
	}
}
