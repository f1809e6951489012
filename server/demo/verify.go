package demo

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// verify looks in git whether each stage holds the newest change: what landed
// there is on its branch, was made for the newest freight, and left files that
// are other than when the demo began. What the server says is not enough.
func verify(r *reader) error {
	v := r.last
	var wrong []error
	for _, name := range v.pipelineNames() {
		ps := v.state.Pipelines[name]
		for i := range v.pipelines[name].Stages {
			stage := &v.pipelines[name].Stages[i]
			if len(stage.Steps) == 0 {
				continue // it only joins others
			}
			if err := r.verifyStage(ps, v.pipelines[name], stage); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", promotion.StageRef(name, stage.Name), err))
			}
		}
	}
	return errors.Join(wrong...)
}

func (r *reader) verifyStage(ps *promotion.PipelineState, p *promotion.Pipeline, stage *promotion.Stage) error {
	landing := ps.Stages[stage.Name].Current
	want := newest(ps)
	if landing.Held {
		if isLast(p, stage) {
			return fmt.Errorf("it held %s already, so nothing shows that a change arrives: change what its sources watch", want.Title())
		}
		return nil
	}
	if freight := r.freightOf(landing); freight != want.ID {
		return fmt.Errorf("the commit %s was made for the freight %s, not for %s", short(landing.Commit), short(freight), short(want.ID))
	}
	return r.verifyFiles(landing.Commit, stage.Branch)
}

func isLast(p *promotion.Pipeline, stage *promotion.Stage) bool {
	return !slices.ContainsFunc(p.Stages, func(s promotion.Stage) bool { return slices.Contains(s.After, stage.Name) })
}

// freightOf is what the trailer of the landed commit says or, when that is a
// merge, the one of the pull request's head.
func (r *reader) freightOf(l *promotion.Landing) string {
	if id := r.trailer(l.Commit); id != "" {
		return id
	}
	for _, pr := range r.last.pulls {
		if pr.Merged && pr.MergeCommit == l.Commit {
			return r.trailer(pr.HeadSHA)
		}
	}
	return ""
}

func (r *reader) trailer(sha string) string {
	commits, err := r.w.sim.History(r.w.repo, sha, "", 0, 1)
	if err != nil || len(commits) == 0 {
		return ""
	}
	return promotion.Trailer(commits[0].Message, promotion.TrailerFreight)
}

func (r *reader) verifyFiles(landed, branch string) error {
	sim, repo := r.w.sim, r.w.repo
	if branch == "" {
		branch = repo.DefaultBranch
	}
	tip := r.last.tips[branch]
	if tip == "" {
		return fmt.Errorf("there is no branch %s", branch)
	}
	if _, beyond, err := sim.Between(repo, tip, landed); err != nil || len(beyond) > 0 {
		return fmt.Errorf("the commit %s is not on %s", short(landed), branch)
	}
	commits, err := sim.History(repo, landed, "", 0, 1)
	if err != nil {
		return err
	}
	paths := slices.Concat(commits[0].Added, commits[0].Modified, commits[0].Removed)
	if !slices.ContainsFunc(paths, func(path string) bool { return r.differs(path, tip, r.start[branch]) }) {
		return fmt.Errorf("the files of %s (%v) are on %s as they were before the demo", short(landed), paths, branch)
	}
	return nil
}

// differs compares a file of two commits; a file that is not there is empty.
func (r *reader) differs(path, a, b string) bool {
	return contentAt(r.w.sim, r.w.repo, a, path) != contentAt(r.w.sim, r.w.repo, b, path)
}

func contentAt(sim *ghsim.Sim, repo ghsim.Repo, commit, path string) string {
	if commit == "" {
		return ""
	}
	content, err := sim.File(repo, commit, path)
	if err != nil {
		return ""
	}
	return content
}
