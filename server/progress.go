package server

import "github.com/stagecoach-app/stagecoach/promotion"

// progress logs each promotion that got into another phase, and counts what became of it.
func (s *Server) progress(before, after *promotion.State) {
	s.measures.moved(before, after)
	for name, ps := range after.Pipelines {
		for _, p := range ps.Promotions {
			var was promotion.Phase
			if before != nil {
				if old := before.Promotion(p.Name); old != nil {
					was = old.Phase
				}
			}
			if was == p.Phase {
				continue
			}
			s.Log.Info().Str("repository", after.Repo.FullName()).Str("promotion", p.Name).Str("pipeline", name).
				Str("stage", p.Stage).Str("phase", string(p.Phase)).Str("was", string(was)).Msg(p.Message)
		}
	}
}
