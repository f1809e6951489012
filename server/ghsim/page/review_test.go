package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestReview(t *testing.T) {
	w := newWorld(t)
	number := w.pull()
	must(t, w.SetPermission(w.repo, "hubot", "write"))
	path, head := fmt.Sprintf("/acme/gitops/pull/%d", number), w.Branches(w.repo)["change/one"]
	if body := w.page(path); strings.Contains(body, `value="APPROVE"`) || !strings.Contains(body, "nobody approve their own") {
		t.Errorf("the author is offered\n%s", mainOf(body))
	}
	if _, body := w.send(path+"/review", map[string]string{"verdict": "APPROVE", "head": head}); !strings.Contains(body, "Can not approve your own pull request") {
		t.Errorf("the author approved:\n%s", mainOf(body))
	}
	_, _ = w.send("/-/as", map[string]string{"as": "hubot", "back": path})
	_, body := w.send(path+"/review", map[string]string{"verdict": "REQUEST_CHANGES", "head": head, "text": "No " + nasty})
	w.harmless(path, body)
	if !strings.Contains(body, "requested changes at") {
		t.Errorf("after the first review:\n%s", mainOf(body))
	}
	_, body = w.send(path+"/review", map[string]string{"verdict": "APPROVE", "head": head})
	if !strings.Contains(body, "Your review is submitted.") || !strings.Contains(body, "approved these changes at") {
		t.Errorf("after the second:\n%s", mainOf(body))
	}
	got := w.Reviews(w.repo, number)
	if len(got) != 2 || got[0].State != "CHANGES_REQUESTED" || got[1].State != "APPROVED" || got[1].Author != "hubot" || got[1].Commit != head {
		t.Errorf("%+v", got)
	}
}

// The page says why rules hold a merge, shows statuses among the checks, and offers to end a draft.
func TestRulesAndStatusesAreShown(t *testing.T) {
	w := newWorld(t)
	number := w.pull()
	path, octocat := fmt.Sprintf("/acme/gitops/pull/%d", number), w.As("octocat")
	_, err := w.AddRuleset(w.repo, "main", ghsim.Rules{Checks: []ghsim.RequiredCheck{{Name: "ci/build"}}})
	must(t, err)
	if body := w.page(path); !strings.Contains(body, "Merging is blocked.") || !strings.Contains(body, "is expected.") {
		t.Errorf("a required check that is missing:\n%s", mainOf(body))
	}
	must(t, octocat.SetStatus(w.repo, w.Branches(w.repo)["change/one"], "ci/build", "success", "built "+nasty))
	body := w.page(path)
	if strings.Contains(body, "Merging is blocked.") || !strings.Contains(body, "1 of 1 check passed") || !strings.Contains(body, "ci/build") {
		t.Errorf("with the status:\n%s", mainOf(body))
	}
	must(t, octocat.ConvertToDraft(w.repo, number))
	if _, body := w.send(path+"/ready", nil); !strings.Contains(body, "ready for review") || w.PullRequests(w.repo)[0].Draft {
		t.Errorf("after ready:\n%s", mainOf(body))
	}
}
