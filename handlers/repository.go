package handlers

import (
	"encoding/json"

	"github.com/stagecoach-app/stagecoach/promotion"
)

type repositoryPayload struct {
	envelope
	Changes struct {
		DefaultBranch json.RawMessage `json:"default_branch"`
	} `json:"changes"`
}

// repository tells of repositories that are called, owned or kept otherwise
// than before. A transfer is told to the new owner's installation alone.
func (t Translator) repository(payload []byte) ([]promotion.Event, error) {
	p, err := decode[repositoryPayload](payload)
	if err != nil {
		return nil, err
	}
	var body promotion.EventBody = promotion.Renamed{}
	switch p.Action {
	case "renamed", "transferred", "archived", "unarchived":
	case "edited":
		if len(p.Changes.DefaultBranch) == 0 {
			return nil, nil // the description, the topics, the home page
		}
	case "deleted":
		body = promotion.LetGo{Reason: "the repository was deleted by " + p.Sender.Login}
	case "":
		return nil, errNoAction
	default:
		return nil, nil
	}
	if p.Repository == nil {
		return nil, errNoRepository
	}
	return p.one(p.Repository.UpdatedAt.Time, body)
}
