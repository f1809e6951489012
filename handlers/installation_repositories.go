package handlers

import (
	"github.com/stagecoach-app/stagecoach/promotion"
)

type installationRepositoriesPayload struct {
	envelope
	Added   []*repository `json:"repositories_added"`
	Removed []*repository `json:"repositories_removed"`
}

// installationRepositories tells of repositories that an installation gained or
// lost. One that gained some but lists none (too many, or all of them) gives one
// event with Repo.ID 0; one that lost some but lists none gives none, because
// letting go of everything on a guess is worse than noticing later.
func (t Translator) installationRepositories(payload []byte) ([]promotion.Event, error) {
	p, err := decode[installationRepositoriesPayload](payload)
	if err != nil {
		return nil, err
	}
	switch p.Action {
	case "added":
		if len(p.Added) == 0 {
			p.Added = []*repository{{}}
		}
		return p.each(p.Added, promotion.TakenUp{})
	case "removed":
		return p.each(p.Removed, promotion.LetGo{Reason: "the repository was taken out of the installation by " + p.Sender.Login})
	case "":
		return nil, errNoAction
	}
	return nil, nil
}
