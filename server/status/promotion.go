package status

import (
	"cmp"
	"fmt"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// promotionsOf are a pipeline's promotions, live ones and those that ended.
func promotionsOf(pipeline string, ps *promotion.PipelineState) (live, ended []Promotion) {
	for _, p := range ps.Promotions {
		one := promotionOf(pipeline, ps, p)
		if p.Phase.Terminal() {
			ended = append(ended, one)
		} else {
			live = append(live, one)
		}
	}
	return live, ended
}

func promotionOf(pipeline string, ps *promotion.PipelineState, p *promotion.Promotion) Promotion {
	out := Promotion{
		Name: p.Name, Pipeline: pipeline, Stage: p.Stage, Freight: promotion.Alias(p.Freight), Version: titleOf(ps, p.Freight),
		Phase: p.Phase, Message: p.Message, Until: until(p), RequestedBy: word(p.RequestedBy), Automatic: p.Automatic,
		CreatedAt: p.CreatedAt.UTC(), EndedAt: moment(p.EndedAt), Commit: word(cmp.Or(p.Landed, p.Commit)), Steps: steps(p), Gates: []Gate{},
	}
	if p.PullRequest != nil {
		number := p.PullRequest.Number
		out.PullRequest = &number
	}
	for _, g := range p.Gates {
		out.Gates = append(out.Gates, Gate{g.Name, g.Status, g.Text, moment(g.Until)})
	}
	return out
}

func (p Promotion) ended() time.Time {
	if p.EndedAt == nil {
		return time.Time{}
	}
	return *p.EndedAt
}

// until is when a live promotion that waits may go on by itself: the first time at
// which one of its shut gates may change, or its verification ends.
func until(p *promotion.Promotion) *time.Time {
	if p.Phase.Terminal() {
		return nil
	}
	if p.Verify != nil {
		return moment(p.Verify.Until)
	}
	var first time.Time
	for _, g := range p.Gates {
		if g.Status != promotion.GateOpen && !g.Until.IsZero() && (first.IsZero() || g.Until.Before(first)) {
			first = g.Until
		}
	}
	return moment(first)
}

func steps(p *promotion.Promotion) []Step {
	out := []Step{}
	for i, s := range p.Steps {
		one := Step{Status: cmp.Or(string(s.Phase), "pending"), Message: s.Message}
		if p.Plan != nil && i < len(p.Plan.Steps) {
			one.Uses, one.As = p.Plan.Steps[i].Uses, p.Plan.Steps[i].As
		}
		out = append(out, one)
	}
	return out
}

// word is a text, or null where there is none.
func word(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// problem is a problem as one line, with its place in the file.
func problem(p promotion.Problem) string {
	text := p.Text
	if p.Suggestion != "" {
		text += " (" + p.Suggestion + ")"
	}
	switch {
	case p.File != "" && p.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, max(1, p.Column), text)
	case p.File != "":
		return p.File + ": " + text
	}
	return text
}
