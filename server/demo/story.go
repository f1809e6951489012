package demo

import (
	"context"
	"errors"
	"fmt"
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
