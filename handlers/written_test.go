package handlers_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// An event of our own writing tells which store it was written from, and nothing else.
func TestWhoWroteTheTrackingIssue(t *testing.T) {
	const name = "1790000000000-0a1b2c3d"
	s := &promotion.State{Repo: promotion.Repo{ID: 1, Owner: "acme", Name: "gitops"}, Issue: 1}
	s.Local.Writer = name
	body, err := ledger.Encode(s, []byte("key"), ledger.Links{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	edited := recorded(t, "issues.edited.json")
	for _, c := range []struct {
		what, sender, body, want string
		events                   int
	}{
		{"ours", us.BotLogin, body.Text, name, 1},
		{"ours, without a name", us.BotLogin, "Some text.", "", 0},
		{"a person's copy", "Codertocat", body.Text, "", 1},
	} {
		payload := with(t, with(t, edited, c.body, "issue", "body"), c.sender, "sender", "login")
		events, err := us.Translate("issues", "guid", payload)
		if err != nil || len(events) != c.events {
			t.Fatalf("%s: %d events, %v", c.what, len(events), err)
		}
		if c.events > 0 && events[0].Body.(promotion.LedgerTouched).Writer != c.want {
			t.Errorf("%s: %+v, want the writer %q", c.what, events[0].Body, c.want)
		}
	}
}
