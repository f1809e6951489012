package handlers

import (
	"encoding/json"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// The names of the deliveries that Stagecoach sends itself, so that there is
// one way in. GitHub sends none of that form, and Events leaves them out.
const (
	Wake    = "wake"    // a timer came due
	Look    = "look"    // look at the repository afresh: is there a pipeline?
	Unblock = "unblock" // what was refused may be tried again
	LetGo   = "letgo"   // the app does not reach the repository; Repo.Idle says why
	hint    = "hint"    // something that a pipeline follows may have changed, see Hint
)

const internalPrefix = "stagecoach."

type internalPayload struct {
	Repo  promotion.Repo   `json:"repo"`
	Moved *promotion.Moved `json:"moved,omitempty"` // of a hint
}

var internals = map[string]func(Translator, []byte) ([]promotion.Event, error){
	internalPrefix + Wake:    internal(promotion.Woke{}),
	internalPrefix + Look:    internal(promotion.TakenUp{}),
	internalPrefix + Unblock: internal(promotion.Unblocked{}),
	internalPrefix + LetGo:   letGo,
	internalPrefix + hint:    hinted,
}

// Hint makes a delivery of our own that says to a repository that something which
// its pipelines follow may have changed.
func Hint(repo promotion.Repo, moved promotion.Moved) (eventType string, payload []byte) {
	payload, err := json.Marshal(internalPayload{repo, &moved})
	if err != nil {
		panic("a hint is plain strings and numbers: " + err.Error())
	}
	return internalPrefix + hint, payload
}

func hinted(_ Translator, payload []byte) ([]promotion.Event, error) {
	p, err := decode[internalPayload](payload)
	if err != nil {
		return nil, err
	}
	if p.Repo.ID == 0 || p.Moved == nil {
		return nil, errNoRepository
	}
	return []promotion.Event{{Repo: p.Repo, Body: *p.Moved}}, nil
}

// letGo says why in Repo.Idle, which is the body's reason.
func letGo(t Translator, payload []byte) ([]promotion.Event, error) {
	events, err := internal(promotion.LetGo{})(t, payload)
	for i, e := range events {
		events[i].Body = promotion.LetGo{Reason: e.Repo.Idle}
	}
	return events, err
}

// Internal makes a delivery of our own; name is one of the constants. Any other
// name gives one that Translate takes for an event that we do not handle.
func Internal(name string, repo promotion.Repo) (eventType string, payload []byte) {
	payload, err := json.Marshal(internalPayload{Repo: repo})
	if err != nil {
		panic("a repository is plain strings and numbers: " + err.Error())
	}
	return internalPrefix + name, payload
}

// internal translates deliveries that mean body.
func internal(body promotion.EventBody) func(Translator, []byte) ([]promotion.Event, error) {
	return func(_ Translator, payload []byte) ([]promotion.Event, error) {
		p, err := decode[internalPayload](payload)
		if err != nil {
			return nil, err
		}
		if p.Repo.ID == 0 {
			return nil, errNoRepository
		}
		return []promotion.Event{{Repo: p.Repo, Body: body}}, nil
	}
}
