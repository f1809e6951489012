package handlers

import (
	"errors"
	"regexp"

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

// writer is what the app puts beside its record in the tracking issue, as
// promotion/ledger draws it: which store that was kept in.
var writer = regexp.MustCompile(`<!-- stagecoach-writer ([0-9a-z-]{1,60}) -->`)

// written tells which server wrote a tracking issue. One App may have two, with a
// store each, and none of them knows of the other.
func (t Translator) written(p *issuesPayload) ([]promotion.Event, error) {
	found := writer.FindStringSubmatch(p.Issue.Body)
	if p.Action != "edited" || found == nil {
		return nil, nil
	}
	return p.one(p.Issue.UpdatedAt.Time, promotion.LedgerTouched{
		Number: p.Issue.Number, Action: p.Action, By: p.Sender.Login, Writer: found[1],
	})
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
		return t.written(p)
	}
	events, err := p.one(p.Issue.UpdatedAt.Time, promotion.LedgerTouched{
		Number: p.Issue.Number, Action: p.Action, By: p.Sender.Login,
	})
	if commands := t.ticked(p); err == nil && len(commands) > 0 {
		touched := events[0].Body.(promotion.LedgerTouched)
		touched.Box = true
		events[0].Body = touched
		also := events[0]
		also.Body = promotion.Ticked{Number: p.Issue.Number, By: p.Sender.Login, ByID: p.Sender.ID, Commands: commands}
		events = append(events, also)
	}
	return events, err
}
