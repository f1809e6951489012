package promotion_test

import (
	"encoding/json"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestPushesTag(t *testing.T) {
	for config, want := range map[string]bool{
		"": false, "{}": false, `{"targetBranch": "x"}`: false, `{"tag": "v1"}`: true, `{"tag": "${{ vars.t }}", "path": "."}`: true, "[]": false,
	} {
		step := promotion.Step{Uses: "git-push", Config: json.RawMessage(config)}
		if got := step.PushesTag(); got != want {
			t.Errorf("%s: %t", config, got)
		}
		if step.Uses = "git-tag"; step.PushesTag() {
			t.Error("git-tag pushes nothing")
		}
	}
}
