package handlers

import (
	"context"
	"fmt"

	"github.com/palantir/go-githubapp/githubapp"
)

// Hook names our events to go-githubapp's dispatcher, which answers the others
// with 202 and hands ours to its scheduler together with this handler.
//
// Our scheduler appends the delivery to the event log and stops there: a worker
// takes it up later, perhaps in another process, and calls Translate. Handle is
// therefore never reached. If it is, the dispatcher was built without our
// scheduler, and an error (that is, a 500 that GitHub shows as a failed delivery)
// is right: success would claim work that nobody does.
type Hook struct{}

var _ githubapp.EventHandler = Hook{}

// Handles returns Events.
func (Hook) Handles() []string { return Events() }

// Handle fails, see Hook.
func (Hook) Handle(_ context.Context, eventType, deliveryID string, _ []byte) error {
	return fmt.Errorf("the %s delivery %s did not go through the event log: build the dispatcher with its scheduler", eventType, deliveryID)
}
