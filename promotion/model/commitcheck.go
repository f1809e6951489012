package model

import (
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// commitRun is a check run on a commit of the source, and what it says.
type commitRun struct{ digest string }

// showCommit makes the check run on a commit of the source, or changes it. There is
// one of a commit, whatever is lost.
func (s *server) showCommit(e promotion.Effect) promotion.Result {
	w := s.state.Whereabouts(e.Pipeline, e.SHA)
	if w == nil {
		return promotion.Result{}
	}
	if s.state.Shows(e, w) {
		return promotion.Result{CheckID: 1, Digest: w.Digest()}
	}
	known := s.state.Pipelines[e.Pipeline].Shown[e.SHA].ID != 0
	if s.commitRuns[w.ExternalID+"@"+e.SHA] != nil && !known && !e.Look {
		s.fail("promise 8: a second check run on the commit %.7s", e.SHA)
	}
	s.commitRuns[w.ExternalID+"@"+e.SHA] = &commitRun{w.Digest()}
	return promotion.Result{CheckID: 1, Digest: w.Digest()}
}

// commitsSay judges the check runs on the source's commits at rest: where one is to be,
// it is there and says what is.
func (r *rules) commitsSay(ps *promotion.PipelineState) {
	for _, f := range ps.Freight {
		w := r.state.Whereabouts(pipelineName, f.Artifacts[0].Commit)
		if w == nil || r.hopeless["commit-check/"+pipelineName+"/"+w.Commit] || r.refusesCommits() {
			continue
		}
		if run := r.commitRuns[w.ExternalID+"@"+w.Commit]; run == nil || run.digest != w.Digest() {
			r.fail("%s: the check run on the commit %.7s does not say what is", r.findsOut(), w.Commit)
		}
	}
}

// refusesCommits reports whether it is said that the app may not write them.
func (r *rules) refusesCommits() bool {
	return slices.ContainsFunc(r.state.Problems, func(p promotion.Problem) bool { return strings.HasPrefix(p.Key, "blocked/commit-check/") })
}
