package handlers

import (
	"errors"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// statusPayload has no action. Its name is the repository's; context is that of
// the status. https://docs.github.com/en/webhooks/webhook-events-and-payloads#status
type statusPayload struct {
	envelope
	ID          int64  `json:"id"`
	SHA         string `json:"sha"`
	Context     string `json:"context"`
	State       string `json:"state"`
	Description string `json:"description"`
	TargetURL   string `json:"target_url"`
	CreatedAt   stamp  `json:"created_at"`
}

// status tells of commit statuses. Each is a new one, with an ID of its own; of
// one context the newest counts.
func (t Translator) status(payload []byte) ([]promotion.Event, error) {
	p, err := decode[statusPayload](payload)
	if err != nil {
		return nil, err
	}
	if p.ID == 0 || p.SHA == "" || p.Context == "" || p.State == "" {
		return nil, errors.New("the payload lacks the status's id, commit, context or state")
	}
	c := promotion.CheckChanged{
		SHA: p.SHA, Name: p.Context, ID: p.ID, Conclusion: p.State,
		At: p.CreatedAt.Time, URL: p.TargetURL, Title: p.Description,
	}
	if c.Conclusion == "pending" {
		c.Conclusion = ""
	}
	return p.one(c.At, c)
}
