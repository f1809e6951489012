package demo

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// stand is where one promotion stands.
type stand struct {
	Name, Pipeline, Stage string
	Freight               string // ID, or its first 7 digits; empty: not known yet
	Phase                 promotion.Phase
	Message               string
	Commit                string // what landed; empty: nothing yet, or there was nothing to change
	PullRequest           int    // 0: none
}

func (s stand) created() time.Time {
	named, _ := promotion.ParseName(s.Name)
	return named.At
}

func byCreation(a, b stand) int {
	return cmp.Or(a.created().Compare(b.created()), cmp.Compare(a.Name, b.Name))
}

// ref names its stage.
func (s stand) ref() string { return promotion.StageRef(s.Pipeline, s.Stage) }

// stands are all promotions that the view shows, in order of their names. The
// record is written when the server comes to rest; branches, pull requests and
// check runs show sooner what is under way.
func (v *view) stands() []stand {
	known := map[string]stand{}
	v.recorded(known)
	v.branched(known)
	v.checked(known)
	return slices.SortedFunc(maps.Values(known), byCreation)
}

func (v *view) recorded(known map[string]stand) {
	if v.state == nil {
		return
	}
	for pipeline, ps := range v.state.Pipelines {
		for _, p := range ps.Promotions {
			s := stand{Name: p.Name, Pipeline: pipeline, Stage: p.Stage, Freight: p.Freight, Phase: p.Phase, Message: p.Message, Commit: p.Landed}
			if p.PullRequest != nil {
				s.PullRequest = p.PullRequest.Number
			}
			known[p.Name] = s
		}
	}
}

// branched adds what branches and pull requests show.
func (v *view) branched(known map[string]stand) {
	for branch := range v.tips {
		if pipeline, stage, name, own := promotion.ParseBranch(branch); own {
			known[name] = raise(known[name], stand{Name: name, Pipeline: pipeline, Stage: stage, Phase: promotion.PhaseRunning})
		}
	}
	for _, pr := range v.pulls {
		pipeline, stage, name, own := promotion.ParseBranch(pr.Head)
		if !own {
			continue
		}
		now := stand{Name: name, Pipeline: pipeline, Stage: stage, Phase: promotion.PhaseRunning, PullRequest: pr.Number}
		if pr.State == "open" {
			now.Phase = promotion.PhaseWaiting
		}
		known[name] = raise(known[name], now)
	}
	for name := range v.pushed {
		if s, ok := known[name]; ok {
			known[name] = raise(s, stand{Phase: promotion.PhaseRunning})
		}
	}
}

// checked adds what check runs show: that a promotion landed.
func (v *view) checked(known map[string]stand) {
	for _, c := range v.checks {
		named, ok := promotion.ParseName(c.ExternalID)
		if !ok || c.Conclusion != "success" {
			continue
		}
		s := known[c.ExternalID]
		pr, has := v.pull(s.PullRequest)
		landed := v.pushed[c.ExternalID] == c.HeadSHA && !has || has && pr.Merged && pr.HeadSHA != c.HeadSHA
		if landed {
			now := stand{
				Name: c.ExternalID, Pipeline: pipelineOf(c.Name, named.Stage), Stage: named.Stage,
				Phase: promotion.PhaseSucceeded, Message: c.Title, Commit: c.HeadSHA,
			}
			known[c.ExternalID] = raise(s, now)
		}
	}
}

// pipelineOf takes the pipeline out of a check run's name.
func pipelineOf(check, stage string) string {
	ref := strings.TrimPrefix(check, "stagecoach/")
	if ref == stage {
		return promotion.DefaultPipeline
	}
	return strings.TrimSuffix(ref, "/"+stage)
}

var rank = map[promotion.Phase]int{"": 0, promotion.PhaseQueued: 1, promotion.PhaseRunning: 2, promotion.PhaseWaiting: 3}

// raise is the stand that is further on, with what the other one knows besides.
func raise(was, now stand) stand {
	if was.Phase.Terminal() && was.Phase != "" || rank[now.Phase] <= rank[was.Phase] && !now.Phase.Terminal() {
		was.PullRequest = cmp.Or(was.PullRequest, now.PullRequest)
		return was
	}
	was.Name, was.Pipeline, was.Stage = cmp.Or(now.Name, was.Name), cmp.Or(now.Pipeline, was.Pipeline), cmp.Or(now.Stage, was.Stage)
	was.Phase, was.Message = now.Phase, now.Message
	was.Commit, was.PullRequest = cmp.Or(now.Commit, was.Commit), cmp.Or(now.PullRequest, was.PullRequest)
	return was
}
