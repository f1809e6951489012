package ledger

import (
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// owned is a promotion with its pipeline.
type owned struct {
	*promotion.Promotion
	pipe *pipe
}

// all are the promotions of every pipeline of which keep says so.
func (v *view) all(keep func(*promotion.Promotion) bool) []owned {
	var found []owned
	for _, p := range v.pipes {
		for _, one := range p.promotions(keep) {
			found = append(found, owned{one, p})
		}
	}
	return found
}

// underWay shows the started promotions with steps and gates.
func (v *view) underWay() string {
	started := v.all(func(p *promotion.Promotion) bool { return p.Phase.Started() })
	if len(started) == 0 {
		return ""
	}
	shown, hidden := first(started, v.most.rows)
	sections := []string{"### Under way"}
	for _, one := range shown {
		sections = append(sections, v.details(one, len(shown) <= 3))
	}
	if hidden > 0 {
		sections = append(sections, more(hidden)+".")
	}
	return strings.Join(sections, "\n\n")
}

// details is one promotion to unfold. The blank line after the summary is what
// makes GitHub read Markdown again.
func (v *view) details(one owned, open bool) string {
	tag := "<details>"
	if open {
		tag = "<details open>"
	}
	body := []string{v.steps(one.Promotion)}
	if gates := one.pipe.gates(one.Promotion, v.now, v.most.text); gates != "" {
		body = append(body, "Gates: "+gates)
	}
	if yes := approvals(one.Promotion, v.links, v.now, v.most.rows); yes != "" {
		body = append(body, yes)
	}
	if said := v.said(one.Promotion); said != "" {
		body = append(body, said)
	}
	if one.Reason != "" {
		body = append(body, "Reason: “"+Harmless(shorten(one.Reason, v.most.text))+"”")
	}
	return tag + "<summary>" + v.summary(one) + "</summary>\n\n" + strings.Join(body, "\n\n") + "\n\n</details>"
}

// said is the promotion's message, unless one of its gates says the same, and
// until when its verification may take.
func (v *view) said(p *promotion.Promotion) string {
	text := sentence(shorten(p.Message, v.most.text))
	if slices.ContainsFunc(p.Gates, func(g promotion.Gate) bool { return g.Text == p.Message }) {
		text = ""
	}
	if verifying(p) {
		if text == "" {
			text = "Verifying"
		}
		text += "," + until(p.Verify.Until, v.now)
	}
	return text
}

func (v *view) summary(one owned) string {
	who := "automatic"
	if !one.Automatic || one.RequestedBy != "" {
		who = htmlLink(inHTML(shorten(one.RequestedBy, 50)), v.links.User(one.RequestedBy))
		if one.Automatic {
			who = "automatic, pushed by " + who
		} else {
			who = "asked for by " + who
		}
	}
	return "<b>" + inHTML(shorten(promotion.StageRef(one.pipe.name, one.Stage), 90)) + " ← " + inHTML(v.named(one.pipe, one.Freight)) + "</b> · " +
		who + " on " + when(one.CreatedAt, v.now) + " · <code>" + inHTML(shorten(one.Name, 100)) + "</code>"
}
