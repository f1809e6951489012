package demo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// view is what GitHub shows at one moment, to whom holds the ledger's key.
type view struct {
	repo      ghsim.Repo
	tips      map[string]string // branch → commit
	pulls     []ghsim.PullRequest
	checks    []ghsim.CheckRun
	issue     ghsim.Issue                    // the tracking issue; Number 0: there is none yet
	state     *promotion.State               // the record in it; nil: none yet
	pipelines map[string]*promotion.Pipeline // on the default branch, those that can be read
	comments  []comment                      // on issues and pull requests, in order
	news      []ghsim.Commit                 // on other branches than promotions' since the last view, oldest first
	pushed    map[string]string              // promotion → commit with its trailer on such a branch
	names     map[string]string              // freight → how its promotions' commits call it
	url       string                         // of the repository
}

type comment struct {
	ghsim.Comment
	number int
}

// answered is the reaction that ends a command, as its mark; "" while there is none.
func (c comment) answered(bot string) string {
	for _, r := range c.Reactions {
		if mark, final := answers[r.Content]; final && r.Author == bot {
			return mark
		}
	}
	return ""
}

// answers are the reactions that end a command.
var answers = map[string]string{"rocket": "🚀", "+1": "👍", "confused": "😕", "-1": "👎"}

// commands reports whether the comment holds a command.
func (c comment) commands() bool {
	return slices.ContainsFunc(strings.Split(c.Body, "\n"), func(line string) bool { return strings.HasPrefix(line, "/") })
}

// pipelineNames are those of the pipelines, sorted.
func (v *view) pipelineNames() []string { return slices.Sorted(maps.Keys(v.pipelines)) }

func (v *view) pull(number int) (ghsim.PullRequest, bool) {
	i := slices.IndexFunc(v.pulls, func(pr ghsim.PullRequest) bool { return pr.Number == number })
	if i < 0 {
		return ghsim.PullRequest{}, false
	}
	return v.pulls[i], true
}

// check is the check run of a promotion on a commit.
func (v *view) check(promotion, sha string) (ghsim.CheckRun, bool) {
	for _, c := range slices.Backward(v.checks) {
		if c.ExternalID == promotion && c.HeadSHA == sha {
			return c, true
		}
	}
	return ghsim.CheckRun{}, false
}

func (v *view) commitURL(sha string) string { return v.url + "/commit/" + short(sha) }

func (v *view) pullURL(number int) string { return fmt.Sprintf("%s/pull/%d", v.url, number) }

func (v *view) issueURL() string { return fmt.Sprintf("%s/issues/%d", v.url, v.issue.Number) }

// newest is the newest freight of a pipeline, or nil.
func newest(ps *promotion.PipelineState) *promotion.Freight {
	if ps == nil || len(ps.Freight) == 0 {
		return nil
	}
	return slices.MaxFunc(ps.Freight, func(a, b *promotion.Freight) int { return int(a.Number - b.Number) })
}

// eligible reports whether the stages before this one have verified the freight.
func eligible(ps *promotion.PipelineState, stage *promotion.Stage, freight string) bool {
	verified := 0
	for _, before := range stage.After {
		if st := ps.Stages[before]; st != nil && !st.Verified[freight].IsZero() {
			verified++
		}
	}
	return verified == len(stage.After) || stage.AfterMode == promotion.AfterAny && verified > 0
}

func short(sha string) string { return sha[:min(7, len(sha))] }
