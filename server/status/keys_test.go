package status_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/status"
)

// The keys that scripts read are there and hold what they are named for, also when
// nothing is to be said: null, or an empty list. There may be more of them.
func TestEveryKeyThatScriptsRead(t *testing.T) {
	raw, err := json.Marshal(status.Of(world(), ledger.Links{WebURL: "https://github.example.com"}))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Promotions, Stages []map[string]any
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	waiting := got.Promotions[2]
	gate, _ := waiting["gates"].([]any)[2].(map[string]any)
	step, _ := waiting["steps"].([]any)[0].(map[string]any)
	for what, c := range map[string]struct {
		has  map[string]any
		keys string
	}{
		"the whole":   {all, "repository revision problems stages promotions"},
		"a stage":     {got.Stages[2], "pipeline name freight since health frozen paused running queue"},
		"a promotion": {waiting, "name pipeline stage freight phase message until requestedBy pullRequest commit steps gates"},
		"a gate":      {gate, "name status message until"},
		"a step":      {step, "uses as status message"},
	} {
		for _, key := range strings.Fields(c.keys) {
			if _, there := c.has[key]; !there {
				t.Errorf("%s has no %q: %v", what, key, slices.Sorted(maps.Keys(c.has)))
			}
		}
	}
	for key, want := range map[string]any{
		"phase": "waiting", "message": "Waiting for 1 of 2 approvals (hubot approved)", "until": at.Add(2 * time.Hour).Format(time.RFC3339),
		"requestedBy": "octocat", "pullRequest": 214.0, "commit": nil, "pipeline": "default", "stage": "prod", "freight": next.Alias(),
	} {
		if waiting[key] != want {
			t.Errorf("a promotion's %s is %v, want %v", key, waiting[key], want)
		}
	}
	for key, want := range map[string]any{"name": "windows", "status": "closed", "message": "Window opens Mon 09:00 UTC", "until": at.Add(2 * time.Hour).Format(time.RFC3339)} {
		if gate[key] != want {
			t.Errorf("a gate's %s is %v, want %v", key, gate[key], want)
		}
	}
}

// What status says of a record is what the tracking issue shows of the same record.
func TestStatusSaysWhatTheIssueShows(t *testing.T) {
	s := world()
	s.Repo.ID = 1
	body, err := ledger.Encode(s, []byte("key"), ledger.Links{}, at)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ledger.Decode(body.Text, nil, [][]byte{[]byte("key")}, 1, s.Issue, true)
	if err != nil {
		t.Fatal(err)
	}
	read.Local.Config = s.Local.Config
	a, b := status.Of(s, ledger.Links{}), status.Of(read, ledger.Links{})
	if x, y := encoded(t, a), encoded(t, b); x != y {
		t.Errorf("from the issue\n%s\nfrom the server\n%s", y, x)
	}
	for _, p := range a.Promotions {
		if p.Phase == promotion.PhaseWaiting && !strings.Contains(body.Text, p.Name) {
			t.Errorf("the issue does not show %s", p.Name)
		}
		if p.Phase == promotion.PhaseWaiting && !strings.Contains(body.Text, "1 of 2 approvals") {
			t.Error("the issue does not show what it waits for")
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
