package ghapi

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// own checks that a step's repoURL, if it has one, means this repository,
// however it is spelled.
func (r *repository) own(repoURL, step string) error {
	if repoURL == "" || sameRepository(repoURL, r.api.opts.WebURL, r.FullName()) {
		return nil
	}
	return promotion.Terminal(fmt.Errorf("%s works on this repository, %s, and its repoURL names %s; leave repoURL out", step, r.FullName(), repoURL))
}

func sameRepository(repoURL, webURL, fullName string) bool {
	named, ok := promotion.RepoAt(webURL, repoURL)
	return ok && strings.EqualFold(named, fullName)
}
