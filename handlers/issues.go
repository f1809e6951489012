package handlers

import (
	"errors"

	"github.com/stagecoach-app/stagecoach/promotion"
)

type issuesPayload struct {
	envelope
	Issue struct {
		Number    int    `json:"number"`
		Body      string `json:"body"`
		User      user   `json:"user"`
		UpdatedAt stamp  `json:"updated_at"`
	} `json:"issue"`
	Changes struct {
		Body *struct { // what was edited
			From string `json:"from"`
		} `json:"body"`
	} `json:"changes"`
}

// issues tells of issues that somebody else touched in a way that would matter
// if it were the tracking issue, and of boxes that a person ticked in it; whether
// it is, the core knows.
func (t Translator) issues(payload []byte) ([]promotion.Event, error) {
	p, err := decode[issuesPayload](payload)
	if err != nil {
		return nil, err
	}
	switch p.Action {
	case "edited", "closed", "reopened", "deleted", "transferred", "unlabeled":
	case "":
		return nil, errNoAction
	default:
		return nil, nil
	}
	if p.Issue.Number <= 0 {
		return nil, errors.New("the payload names no issue")
	}
	if p.Sender.Login == t.BotLogin {
		return nil, nil // that was us
	}
	events, err := p.one(p.Issue.UpdatedAt.Time, promotion.LedgerTouched{
		Number: p.Issue.Number, Action: p.Action, By: p.Sender.Login,
	})
	if commands := t.ticked(p); err == nil && len(commands) > 0 {
		also := events[0]
		also.Body = promotion.Ticked{Number: p.Issue.Number, By: p.Sender.Login, ByID: p.Sender.ID, Commands: commands}
		events = append(events, also)
	}
	return events, err
}
