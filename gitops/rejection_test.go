package gitops

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

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

// TestWaitsAreReadAsTheyAreGiven: in seconds, as a date, or as the time at which the
// counter starts anew.
func TestWaitsAreReadAsTheyAreGiven(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for name, c := range map[string]struct {
		header map[string]string
		want   time.Duration
	}{
		"seconds":         {map[string]string{"Retry-After": "17"}, 17 * time.Second},
		"a date":          {map[string]string{"Retry-After": now.Add(time.Hour).Format(http.TimeFormat)}, time.Hour},
		"a date that was": {map[string]string{"Retry-After": now.Add(-time.Hour).Format(http.TimeFormat)}, 0},
		"the counter's":   {map[string]string{"X-RateLimit-Reset": strconv.FormatInt(now.Unix()+90, 10)}, 90 * time.Second},
		"the first wins":  {map[string]string{"Retry-After": "5", "X-RateLimit-Reset": strconv.FormatInt(now.Unix()+90, 10)}, 5 * time.Second},
		"nonsense":        {map[string]string{"Retry-After": "soon", "X-RateLimit-Reset": "later"}, time.Minute},
		"nothing":         {nil, time.Minute},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		if got := waitOf(h, now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
