package handlers

import (
	"github.com/stagecoach-app/stagecoach/promotion"
)

type installationPayload struct {
	envelope
	Repositories []*repository `json:"repositories"`
}

// installation tells of an account that got the app, lost it, or changed what
// it may do. Payloads of some actions list the repositories, others do not: then
// the one event has Repo.ID 0 and means every repository of Repo.Installation.
func (t Translator) installation(payload []byte) ([]promotion.Event, error) {
	p, err := decode[installationPayload](payload)
	if err != nil {
		return nil, err
	}
	var bodies []promotion.EventBody
	switch p.Action {
	case "created":
		bodies = []promotion.EventBody{promotion.TakenUp{}}
	case "new_permissions_accepted":
		bodies = []promotion.EventBody{promotion.Unblocked{}}
	case "unsuspend":
		// GitHub sent nothing while it was suspended, so what waits goes on and
		// what was missed is looked for.
		bodies = []promotion.EventBody{promotion.Unblocked{}, promotion.TakenUp{}}
	case "suspend":
		bodies = []promotion.EventBody{promotion.LetGo{Reason: "the installation was suspended by " + p.Sender.Login}}
	case "deleted":
		bodies = []promotion.EventBody{promotion.LetGo{Reason: "the app was uninstalled by " + p.Sender.Login}}
	case "":
		return nil, errNoAction
	}
	if len(bodies) > 0 && len(p.Repositories) == 0 {
		p.Repositories = []*repository{{}}
	}
	return p.each(p.Repositories, bodies...)
}

// each makes the events of several repositories of an installation. Their
// payloads may have no time.
func (e *envelope) each(repos []*repository, bodies ...promotion.EventBody) ([]promotion.Event, error) {
	if e.Installation.ID == 0 {
		return nil, errNoInstallation
	}
	var events []promotion.Event
	for _, r := range repos {
		if r == nil {
			return nil, errNoRepository
		}
		for _, body := range bodies {
			events = append(events, promotion.Event{
				Repo: r.repo(e.Installation.ID), At: e.Installation.UpdatedAt.Time, Body: body,
			})
		}
	}
	return events, nil
}
