package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// story plays the people. It does one thing, waits until the server has come to
// rest, looks at what GitHub shows, and does the next.
type story struct {
	*reader
	teller   *teller
	octocat  ghsim.Person
	change   bool   // a change is still to be made
	wanted   string // the commit that must have become freight
	asked    int64  // the comment that must have been answered
	waitsFor string // what it waits for now, for people
}

func newStory(r *reader, t *teller) *story {
	return &story{reader: r, teller: t, octocat: r.w.sim.As(writer), change: r.w.kept.Sample}
}

// errDone ends the story well.
var errDone = errors.New("the newest change is everywhere")

func (s *story) run(ctx context.Context) error {
	for {
		v, err := s.read()
		if err != nil {
			return err
		}
		s.teller.tell(v)
		err = s.next(v)
		if errors.Is(err, errDone) {
			return s.w.sim.WaitIdle(ctx)
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.w.server.Ended():
			return fmt.Errorf("the server ended by itself: %w", s.w.server.Err())
		case <-s.w.changed:
		}
	}
}

// next does the next thing, if it is time for one.
func (s *story) next(v *view) error {
	if err := s.lost(v); err != nil {
		return err
	}
	if s.waitsFor = s.open(v); s.waitsFor != "" {
		return nil
	}
	if s.change {
		return s.push()
	}
	if p := firstOpen(v); p != nil {
		return s.merge(v, p)
	}
	for _, name := range v.pipelineNames() {
		config := v.pipelines[name]
		if stage := s.askable(v.state.Pipelines[name], config); stage != "" {
			return s.ask(v, promotion.StageRef(name, stage))
		}
	}
	if s.waitsFor = missing(v); s.waitsFor == "" {
		return errDone
	}
	return nil
}

// lost says what can not end well any more.
func (s *story) lost(v *view) error {
	if v.state == nil {
		return nil
	}
	if len(v.pipelines) == 0 {
		return errors.New("no pipeline file of the default branch can be read")
	}
	for name, ps := range v.state.Pipelines {
		for _, broken := range ps.Broken {
			return fmt.Errorf("the pipeline %s cannot run: %s:%d: %s", name, broken.File, broken.Line, broken.Text)
		}
		for _, p := range ps.Promotions {
			if !s.past[p.Name] && p.Phase.Terminal() && p.Phase != promotion.PhaseSucceeded && p.Phase != promotion.PhaseSuperseded {
				return fmt.Errorf("%s %s: %s", p.Name, p.Phase, p.Message)
			}
		}
	}
	return nil
}

// open says what is still to happen by itself; "" when it is the people's turn.
func (s *story) open(v *view) string {
	if open := v.unsettled(s.wanted); open != "" {
		return open
	}
	for _, c := range v.comments {
		if c.ID == s.asked && c.answered(s.w.app.Bot) == "" {
			return "an answer to " + c.Body
		}
	}
	return ""
}

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

// missing lists the stages that do not hold the newest freight.
func missing(v *view) string {
	var out []string
	for _, name := range v.pipelineNames() {
		ps := v.state.Pipelines[name]
		for _, stage := range v.pipelines[name].Stages {
			st, want := ps.Stages[stage.Name], newest(ps)
			if st == nil || st.Current == nil || st.Current.Freight != want.ID {
				out = append(out, fmt.Sprintf("%s to hold %s", promotion.StageRef(name, stage.Name), want.Title()))
			}
		}
	}
	return strings.Join(out, ", ")
}
