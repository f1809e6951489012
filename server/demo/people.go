package demo

import (
	"fmt"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// push changes the sample's application.
func (s *story) push() error {
	branch := s.w.repo.DefaultBranch
	old, err := s.w.sim.File(s.w.repo, branch, changedFile)
	if err != nil {
		return err
	}
	content, err := nextChange(old)
	if err != nil {
		return err
	}
	s.w.tally.act()
	s.wanted, err = s.octocat.Commit(s.w.repo, branch, map[string]string{changedFile: content}, changeMessage)
	s.change = false
	s.w.signal()
	return err
}

// firstOpen is the promotion of the first stage that waits for a merge.
func firstOpen(v *view) *promotion.Promotion {
	for _, name := range v.pipelineNames() {
		for _, stage := range v.pipelines[name].Stages {
			for _, p := range v.state.Pipelines[name].Promotions {
				if p.Stage == stage.Name && p.Phase == promotion.PhaseWaiting && p.PullRequest != nil {
					return p
				}
			}
		}
	}
	return nil
}

func (s *story) merge(v *view, p *promotion.Promotion) error {
	methods := s.w.sim.MergeMethods(s.w.repo)
	method := methods[0]
	if slices.Contains(methods, "squash") {
		method = "squash"
	}
	_, err := s.octocat.Merge(v.repo, p.PullRequest.Number, method)
	if err != nil {
		return fmt.Errorf("merge #%d of %s: %w", p.PullRequest.Number, p.Name, err)
	}
	return nil
}

// askable is the first manual stage that the newest freight may go to and is
// not on its way to; "" when there is none.
func (s *story) askable(ps *promotion.PipelineState, config *promotion.Pipeline) string {
	newest := newest(ps)
	for i := range config.Stages {
		stage := &config.Stages[i]
		st := ps.Stages[stage.Name]
		there := st != nil && st.Current != nil && st.Current.Freight == newest.ID
		onItsWay := slices.ContainsFunc(ps.Promotions, func(p *promotion.Promotion) bool {
			return p.Stage == stage.Name && !p.Phase.Terminal()
		})
		if !stage.Auto && !there && !onItsWay && eligible(ps, stage, newest.ID) {
			return stage.Name
		}
	}
	return ""
}

func (s *story) ask(v *view, stage string) (err error) {
	s.asked, err = s.octocat.Comment(v.repo, v.issue.Number, "/promote "+stage)
	if err != nil {
		return fmt.Errorf("comment /promote %s on #%d: %w", stage, v.issue.Number, err)
	}
	return nil
}
