package runner

import "testing"

func TestWhatAPromotionMadeIsToldFromOthers(t *testing.T) {
	const branch = "stagecoach/default/prod/prod.01jd0000000000000000000000.abcdef0"
	for message, want := range map[string]bool{
		"Promote app to prod\n\nStagecoach-Promotion: prod.01jd0000000000000000000000.abcdef0\n": true,
		"Merge pull request #7 from acme/" + branch + "\n\nPromote app to prod":                  true,
		"Merge pull request #7 from acme/feature":                                                false,
		"Merge pull request #7 from acme/stagecoach/notes":                                       false,
		"Revert \"Merge pull request #7\" by hand":                                               false,
		"Tune": false,
		"":     false,
	} {
		if got := ours(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}
