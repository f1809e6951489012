package ledger

import (
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
	if gates := one.pipe.gates(one.Promotion, v.now); gates != "" {
		body = append(body, "Gates: "+gates)
	}
	if one.Message != "" {
		body = append(body, sentence(shorten(one.Message, v.most.text)))
	}
	if one.Reason != "" {
		body = append(body, "Reason: “"+Harmless(shorten(one.Reason, v.most.text))+"”")
	}
	return tag + "<summary>" + v.summary(one) + "</summary>\n\n" + strings.Join(body, "\n\n") + "\n\n</details>"
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
