package handlers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Translator knows who we are, so that what we did ourselves is told apart.
type Translator struct {
	AppID    int64  // decides which check runs are ours
	BotLogin string // "SLUG[bot]": the login under which GitHub shows what we do
}

// translations has one entry for each webhook event that we handle.
var translations = map[string]func(Translator, []byte) ([]promotion.Event, error){
	"check_run":                 Translator.checkRun,
	"installation":              Translator.installation,
	"installation_repositories": Translator.installationRepositories,
	"issue_comment":             Translator.issueComment,
	"issues":                    Translator.issues,
	"pull_request":              Translator.pullRequest,
	"pull_request_review":       Translator.pullRequestReview,
	"push":                      Translator.push,
	"registry_package":          Translator.registryPackage,
	"release":                   Translator.release,
	"repository":                Translator.repository,
	"repository_dispatch":       Translator.repositoryDispatch,
	"status":                    Translator.status,
}

// Events returns the webhook events that we handle, sorted. Each call gives a
// list of its own.
func Events() []string { return slices.Sorted(maps.Keys(translations)) }

// Translate turns a delivery into events. guid is the delivery's identity (the
// header X-GitHub-Delivery, which a redelivery repeats) and becomes their Cause.
// Events that we do not handle and actions that mean nothing to us give nil, nil.
func (t Translator) Translate(eventType, guid string, payload []byte) ([]promotion.Event, error) {
	translate, ok := translations[eventType]
	if !ok {
		translate, ok = internals[eventType]
	}
	if !ok {
		return nil, nil
	}
	events, err := translate(t, payload)
	if err != nil {
		return nil, fmt.Errorf("translate the %s delivery %s: %w", eventType, guid, err)
	}
	for i := range events {
		events[i].Cause = guid
	}
	return events, nil
}
