package ledger

import (
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// PromotionSheet is one promotion with what is to be told of it. The promotion is
// the state's own: it is only to be read.
type PromotionSheet struct {
	*promotion.Promotion
	Mark      string // how it stands
	Word      string // the same in a word
	FreightMD string // linked
	By        string // who or what asked for it
	At        string // " at step 2 of 5 (yaml-update)", or empty
	Said      string // why it stands where it stands; empty: its gates say it
	Turn      string // of a queued one: what it waits for
	Result    string // of one that ended
	Approvals string // who agreed; empty: nobody
	Steps     []StepSheet
	Gates     []GateSheet
}

// StepSheet is one step.
type StepSheet struct {
	Mark  string // empty: it has not begun
	Word  string // its phase
	Name  string
	Trace string // what it left on GitHub, linked; empty: nothing
	Said  string // why it went wrong; empty: it did not
}

// GateSheet is one condition.
type GateSheet struct {
	Text  string    // with its mark
	Until time.Time // when it may change by itself; zero: only by an event
}

// PromotionSheetOf is the sheet of the promotion called name, and false where the
// state holds none.
func PromotionSheetOf(s *promotion.State, links Links, now time.Time, name string) (PromotionSheet, bool) {
	v := newView(s, links, now)
	v.most = sheetLimits
	for _, p := range v.pipes {
		for _, one := range p.promotions(func(one *promotion.Promotion) bool { return one.Name == name }) {
			return v.promotionSheet(p, one), true
		}
	}
	return PromotionSheet{}, false
}

func (v *view) promotionSheet(p *pipe, one *promotion.Promotion) PromotionSheet {
	out := PromotionSheet{
		Promotion: one, Mark: phaseMark(one), Word: oneLine(phaseWord(one)), FreightMD: v.freight(p, one.Freight),
		By: asker(v.links, one) + priority(one), Approvals: approvals(one, v.links, v.now, v.most.rows),
		Steps: v.stepSheets(one), Gates: v.gateSheets(p, one),
	}
	switch {
	case one.Phase.Terminal():
		out.Result = v.outcome(one)
	case one.Phase == promotion.PhaseQueued:
		out.Turn = v.turn(p, one)
	default:
		out.At, out.Said = v.at(one), v.said(one)
	}
	return out
}

func (v *view) stepSheets(one *promotion.Promotion) []StepSheet {
	var out []StepSheet
	for i, s := range one.Steps {
		step := StepSheet{Mark: stepMark(one, i), Word: oneLine(string(s.Phase)), Name: stepName(one, i), Trace: stepTrace(one, i, v.links, v.repo())}
		if s.Phase == promotion.StepPending {
			step.Word = "not begun"
		}
		if s.Message != "" && s.Phase != promotion.StepSucceeded && s.Phase != promotion.StepWaiting { // what a waiting one waits for, the promotion says
			step.Said = sentence(shorten(s.Message, v.most.text))
		}
		out = append(out, step)
	}
	return out
}

func (v *view) gateSheets(p *pipe, one *promotion.Promotion) []GateSheet {
	var out []GateSheet
	for _, text := range p.passed(one, v.now) {
		out = append(out, GateSheet{Text: text})
	}
	for _, g := range one.Gates {
		gate := GateSheet{Text: gateMark(g) + " " + gateText(g, v.now, v.most.text)}
		if g.Status != promotion.GateOpen {
			gate.Until = g.Until
		}
		out = append(out, gate)
	}
	return out
}
