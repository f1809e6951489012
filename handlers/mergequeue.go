package handlers

import (
	"regexp"
	"strconv"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// queueRef is a branch that GitHub's merge queue makes: of which base, and for
// which pull request. It is removed when it is merged or was in vain.
// https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue#triggering-merge-group-checks-with-other-ci-providers
var queueRef = regexp.MustCompile(`^gh-readonly-queue/(.+)/pr-(\d{1,9})-[0-9a-f]{40}$`)

// grouped reads the push of a merge queue's branch. It tells the same as the event
// merge_group, for which an App needs one permission more.
func (p *pushPayload) grouped(branch string) (promotion.Grouped, bool) {
	m := queueRef.FindStringSubmatch(branch)
	if m == nil || p.Deleted {
		return promotion.Grouped{}, false
	}
	number, err := strconv.Atoi(m[2])
	return promotion.Grouped{Base: m[1], Number: number, SHA: p.After}, err == nil
}
