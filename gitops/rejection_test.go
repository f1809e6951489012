package gitops

import (
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// TestAdviceFitsWhatIsPushed: a pull request helps where a branch is refused, not
// where a tag is.
func TestAdviceFitsWhatIsPushed(t *testing.T) {
	for ref, want := range map[plumbing.ReferenceName]string{
		"refs/heads/main": "the push to main was refused (declined): a ruleset of the repository refuses it: let the app bypass the ruleset, or set `deliver: pull-request`: GH013",
		"refs/tags/v1":    "the push to the tag v1 was refused (declined): a ruleset of the repository refuses it: let the app bypass the ruleset: GH013",
	} {
		err := rejection(ref, "declined", "GH013: Repository rule violations found")
		if !promotion.IsTerminal(err) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", ref, err, want)
		}
	}
}
