package handlers_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// A merge queue's branch is no push of anybody's: it asks for checks. Bases may hold
// slashes, and what only looks like such a branch says nothing.
func TestBranchesOfTheMergeQueue(t *testing.T) {
	head, base := strings.Repeat("a", 40), strings.Repeat("b", 40)
	cases := []struct {
		branch  string
		deleted bool
		want    promotion.EventBody // nil: nothing
	}{
		{"gh-readonly-queue/main/pr-12-" + base, false, promotion.Grouped{Number: 12, Base: "main", SHA: head}},
		{"gh-readonly-queue/release/1.x/pr-7-" + base, false, promotion.Grouped{Number: 7, Base: "release/1.x", SHA: head}},
		{"gh-readonly-queue/main/pr-12-" + base, true, nil},
		{"gh-readonly-queue/main/pr-x-" + base, false, nil},
		{"gh-readonly-queue/main", false, nil},
	}
	for _, c := range cases {
		payload := fmt.Sprintf(`{"ref":"refs/heads/%s","before":"%s","after":"%s","deleted":%v,"created":%v,"commits":[],
			"repository":{"id":1,"name":"gitops","full_name":"acme/gitops","owner":{"login":"acme"},"default_branch":"main","pushed_at":1},
			"installation":{"id":7},"sender":{"login":"octocat"}}`, c.branch, base, head, c.deleted, !c.deleted)
		events, err := handlers.Translator{}.Translate("push", "guid", []byte(payload))
		if err != nil {
			t.Errorf("%s: %v", c.branch, err)
			continue
		}
		var got promotion.EventBody
		if len(events) == 1 {
			got = events[0].Body
		}
		if !reflect.DeepEqual(got, c.want) || len(events) > 1 {
			t.Errorf("%s (deleted %v): %+v, want %+v", c.branch, c.deleted, events, c.want)
		}
	}
}
