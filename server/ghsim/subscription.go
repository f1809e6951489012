package ghsim

import (
	"fmt"
	"slices"
)

// eventPermission is what an App needs to hear of an event (docs.github.com, "Webhook events and payloads").
var eventPermission = map[string]string{
	"push": "contents", "pull_request": "pull_requests", "pull_request_review": "pull_requests", "issue_comment": "issues",
	"issues": "issues", "check_run": "checks", "check_suite": "checks", "status": "statuses", "deployment": "deployments",
	"deployment_status": "deployments", "workflow_run": "actions", "merge_group": "merge_queues", "release": "contents",
	"repository_dispatch": "contents", "registry_package": "packages", "repository": "metadata", "create": "contents", "delete": "contents", "label": "issues",
}

// ownerOnly are actions that only the App hears whose check it is, and only with checks: write.
var ownerOnly = []string{"requested_action", "rerequested"}

func checkEvents(events []string, permissions map[string]string) error {
	for _, e := range events {
		need, known := eventPermission[e]
		if !known {
			return fmt.Errorf("there is no event %q that an app can subscribe to", e)
		}
		if permissions[need] == "" {
			return fmt.Errorf("the event %q needs the permission %s", e, need)
		}
	}
	return nil
}

// hears says whether the installation gets an event: it subscribes and has the permission. checks: write subscribes to
// the check events by itself, and installation events cannot be unsubscribed.
func (i *installation) hears(event, action string) bool {
	if event == "installation" || event == "installation_repositories" {
		return true
	}
	level := i.permissions[eventPermission[event]]
	if event == "check_run" || event == "check_suite" {
		if slices.Contains(ownerOnly, action) || action == "requested" {
			return level == "write"
		}
		return level == "write" || level == "read" && slices.Contains(i.events, event)
	}
	return level != "" && slices.Contains(i.events, event)
}
