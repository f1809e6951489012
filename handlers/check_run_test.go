package handlers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestCheckRun(t *testing.T) {
	pressed := with(t, recorded(t, "check_run.requested_action.json"), "prod.01jd", "check_run", "external_id")
	pressed = with(t, pressed, "retry", "requested_action", "identifier")
	got := only[promotion.Pressed](t, "check_run", pressed)
	if got.Promotion != "prod.01jd" || got.Action != "retry" || got.By == "" || got.ByID == 0 || got.Check == 0 {
		t.Errorf("a pressed button gave %+v", got)
	}
	none(t, "check_run", with(t, pressed, 1, "check_run", "app", "id"))
	none(t, "check_run", with(t, pressed, "", "check_run", "external_id"))
	completed := recorded(t, "check_run.completed.json")
	none(t, "check_run", with(t, completed, us.AppID, "check_run", "app", "id"))
	for _, action := range strings.Fields("created completed rerequested") {
		none(t, "check_run", with(t, with(t, completed, action, "action"), us.AppID, "check_run", "app", "id"))
	}
}

// Of another App's check run, its latest word counts, with what people need to
// look at it.
func TestCheckRunsOfOthers(t *testing.T) {
	completed := recorded(t, "check_run.completed.json")
	completed = with(t, completed, "3 of 80 tests failed", "check_run", "output", "title")
	completed = with(t, completed, "failure", "check_run", "conclusion")
	completed = with(t, completed, "2019-05-15T15:29:00Z", "check_run", "completed_at")
	want := linter("failure")
	want.Title, want.At = "3 of 80 tests failed", instant("2019-05-15T15:29:00Z")
	for _, action := range []string{"completed", "created"} { // one may be made complete
		if diff := cmp.Diff(want, only[promotion.CheckChanged](t, "check_run", with(t, completed, action, "action"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", action, diff)
		}
	}
	again := with(t, with(t, completed, "rerequested", "action"), "2019-05-15T16:00:00Z", "check_run", "check_suite", "updated_at")
	want = linter("")
	want.At = instant("2019-05-15T16:00:00Z")
	if diff := cmp.Diff(want, only[promotion.CheckChanged](t, "check_run", again)); diff != "" {
		t.Errorf("rerequested (-want +got):\n%s", diff)
	}
	old := with(t, again, "2019-05-15T15:00:00Z", "check_run", "check_suite", "updated_at")
	if got := only[promotion.CheckChanged](t, "check_run", old); got.At != instant("2019-05-15T15:29:00Z") {
		t.Errorf("it was asked for again at %v, before it had finished", got.At)
	}
	if got := only[promotion.CheckChanged](t, "check_run", with(t, completed, "", "check_run", "html_url")); got.URL != "https://octocoders.io" {
		t.Errorf("without a page on GitHub it is at %q", got.URL)
	}
	none(t, "check_run", with(t, completed, "requested_action", "action"))
}

func TestStatus(t *testing.T) {
	status := with(t, recorded(t, "status.json"), "argocd/web", "context")
	status = with(t, with(t, status, "Synced", "description"), "https://argocd.example.com/web", "target_url")
	for state, conclusion := range map[string]string{"success": "success", "failure": "failure", "error": "error", "pending": ""} {
		want := defaultStatus
		want.Name, want.Title, want.URL, want.Conclusion = "argocd/web", "Synced", "https://argocd.example.com/web", conclusion
		if diff := cmp.Diff(want, only[promotion.CheckChanged](t, "status", with(t, status, state, "state"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", state, diff)
		}
	}
	for _, member := range strings.Fields("id sha context state") {
		if events, err := us.Translate("status", "guid-1", with(t, status, nil, member)); err == nil {
			t.Errorf("without its %s it gave %v and no error", member, events)
		}
	}
}
