package server

import (
	"context"
	"strconv"
	"strings"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// door says whose lane a delivery belongs to. What comes from a repository that
// was looked at and has no pipeline ends here, unless it could bring one.
func (s *Server) door(eventType string, payload []byte) (key string, keep bool, err error) {
	if key, err = handlers.Key(eventType, payload); err != nil {
		return "", false, err
	}
	id, isRepo := strings.CutPrefix(key, "r")
	repo, err := strconv.ParseInt(id, 10, 64)
	if !isRepo || err != nil {
		return key, true, nil
	}
	entry, known := s.store.Repo(context.Background(), repo)
	if !known || entry.HasPipeline {
		return key, true, nil
	}
	// Nobody has to be told who we are for this: only pushes and changes of the
	// repository itself can bring a pipeline.
	events, err := handlers.Translator{AppID: s.Settings.AppID}.Translate(eventType, "", payload)
	if err != nil {
		return key, true, nil // the worker sets it aside, with its reason
	}
	for _, e := range events {
		if _, letGo := e.Body.(promotion.LetGo); letGo || worker.BringsConfig(e, entry.Repo) {
			return key, true, nil
		}
	}
	return key, false, nil
}
