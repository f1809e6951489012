package handlers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

func TestTickedBoxes(t *testing.T) {
	approve, retry := "  "+ledger.Box("approve", "default", "prod"), "  "+ledger.Box("retry", "web", "dev")
	before := "- ✋ **prod** waits\n" + approve + "\n- ❌ **dev**\n" + retry + "\n"
	tick := func(box string) string { return box[:5] + "x" + box[6:] }
	payload := func(from, to string) []byte {
		p := with(t, recorded(t, "issues.edited.json"), to, "issue", "body")
		p = with(t, p, "stagecoach[bot]", "issue", "user", "login")
		return with(t, p, map[string]any{"from": from}, "changes", "body")
	}
	for _, c := range []struct {
		name, from, to string
		want           []promotion.Command
	}{
		{"none", before, before + "a word\n", nil},
		{"one", before, "- ✋ **prod** waits\r\n" + tick(approve) + "\r\n" + retry, []promotion.Command{{Line: 1, Name: "approve", Args: []string{"default/prod"}}}},
		{"both", before, tick(approve) + "\n" + tick(retry), []promotion.Command{
			{Line: 1, Name: "approve", Args: []string{"default/prod"}}, {Line: 2, Name: "retry", Args: []string{"web/dev"}},
		}},
		{"ticked already", tick(approve), tick(approve) + "\n", nil},
		{"one that was not there", before, before + tick(ledger.Box("approve", "default", "dev")), nil},
		{"twice the same", before, tick(approve) + "\n" + tick(approve), []promotion.Command{{Line: 1, Name: "approve", Args: []string{"default/prod"}}}},
		{"taken back", tick(approve), approve, nil},
	} {
		events := translate(t, "issues", payload(c.from, c.to))
		if _, ok := events[0].Body.(promotion.LedgerTouched); !ok {
			t.Errorf("%s: the edit is not told: %+v", c.name, events)
		}
		var got []promotion.Command
		for _, e := range events[1:] {
			body := e.Body.(promotion.Ticked)
			if body.Number != 1 || body.By != "Codertocat" || e.At != events[0].At || e.Cause != "guid-1" {
				t.Errorf("%s: %+v", c.name, e)
			}
			got = append(got, body.Commands...)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	ticked := payload(before, tick(approve))
	for why, p := range map[string][]byte{
		"a bot's":           with(t, ticked, "Bot", "sender", "type"),
		"of another action": with(t, ticked, "closed", "action"),
		"in a person's own": with(t, ticked, "octocat", "issue", "user", "login"),
		"of the title":      with(t, ticked, map[string]any{"title": map[string]any{"from": "x"}}, "changes"),
	} {
		if events := translate(t, "issues", p); len(events) != 1 {
			t.Errorf("%s: %+v, want no command", why, events)
		}
	}
}
