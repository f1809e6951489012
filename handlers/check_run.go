package handlers

import (
	"errors"

	"github.com/stagecoach-app/stagecoach/promotion"
)

type checkRunPayload struct {
	envelope
	CheckRun struct {
		ID          int64  `json:"id"`
		Name        string `json:"name"`
		HeadSHA     string `json:"head_sha"`
		ExternalID  string `json:"external_id"`
		Conclusion  string `json:"conclusion"`
		CompletedAt stamp  `json:"completed_at"`
		App         struct {
			ID int64 `json:"id"`
		} `json:"app"`
	} `json:"check_run"`
	RequestedAction struct {
		Identifier string `json:"identifier"`
	} `json:"requested_action"`
}

// checkRun tells of finished check runs of others, and of pressed buttons of
// ours. GitHub sends us our own check runs as well; what we wrote is no news.
// A pressed button has no time in the payload: its event's At is zero.
func (t Translator) checkRun(payload []byte) ([]promotion.Event, error) {
	p, err := decode[checkRunPayload](payload)
	if err != nil {
		return nil, err
	}
	if p.Action == "" {
		return nil, errNoAction
	}
	run := &p.CheckRun
	ours := run.App.ID == t.AppID
	switch {
	case run.ID == 0 || run.HeadSHA == "":
		return nil, errors.New("the payload names no check run or no commit")
	case p.Action == "completed" && !ours:
		return p.one(run.CompletedAt.Time, promotion.CheckChanged{
			SHA: run.HeadSHA, Name: run.Name, Conclusion: run.Conclusion,
		})
	case p.Action == "requested_action" && ours:
		return p.pressed()
	}
	return nil, nil
}

// pressed tells of a button. One of a check run that names no promotion is not
// one that we made.
func (p *checkRunPayload) pressed() ([]promotion.Event, error) {
	if p.CheckRun.ExternalID == "" || p.RequestedAction.Identifier == "" {
		return nil, nil
	}
	return p.one(stamp{}.Time, promotion.Pressed{
		Check:     p.CheckRun.ID,
		Promotion: p.CheckRun.ExternalID,
		Action:    p.RequestedAction.Identifier,
		By:        p.Sender.Login,
		ByID:      p.Sender.ID,
	})
}
