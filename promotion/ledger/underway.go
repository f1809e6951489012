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
	if gates := v.gates(one.pipe, one.Promotion); gates != "" {
		body = append(body, "Gates: "+gates)
	}
	if one.Message != "" {
		body = append(body, sentence(shorten(one.Message, v.most.text)))
	}
	if one.Reason != "" {
		body = append(body, "Reason: “"+Harmless(shorten(one.Reason, v.most.text))+"”")
	}
	return tag + "<summary>" + v.summary(one) + "</summary>\n\n" + strings.Join(body, "<br>\n") + "\n\n</details>"
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
	return "<b>" + inHTML(promotion.StageRef(one.pipe.name, one.Stage)) + " ← " + inHTML(v.named(one.pipe, one.Freight)) + "</b> · " +
		who + " on " + when(one.CreatedAt, v.now) + " · <code>" + inHTML(shorten(one.Name, 100)) + "</code>"
}

// steps is the line of a promotion's steps.
func (v *view) steps(p *promotion.Promotion) string {
	return stepLine(p, v.links, v.repo(), v.most.steps, v.most.text)
}

// stepLine names each step with its mark; the one that went wrong says why. A
// step without a mark has not begun.
func stepLine(p *promotion.Promotion, links Links, repo string, most, text int) string {
	if len(p.Steps) == 0 {
		return "No step has begun."
	}
	var parts []string
	shown, hidden := first(p.Steps, most)
	for i, s := range shown {
		part := Harmless(stepName(p, i))
		if mark := stepMark(p, i); mark != "" {
			part = mark + " " + part
		}
		part += stepTrace(p, i, links, repo)
		if s.Phase == promotion.StepFailed || s.Phase == promotion.StepErrored {
			part += " " + string(s.Phase)
			if s.Message != "" {
				part += ": " + sentence(shorten(s.Message, text))
			}
		}
		parts = append(parts, part)
	}
	if hidden > 0 {
		parts = append(parts, more(hidden))
	}
	return strings.Join(parts, " · ")
}

func stepMark(p *promotion.Promotion, i int) string {
	switch p.Steps[i].Phase {
	case promotion.StepSucceeded:
		return markDone
	case promotion.StepRunning:
		return markRunning
	case promotion.StepWaiting:
		if needsPerson(p) {
			return markPerson
		}
		return markWaiting
	case promotion.StepSkipped:
		return markSkipped
	case promotion.StepFailed, promotion.StepErrored:
		return markBad
	}
	return ""
}

// stepTrace is what a step left on GitHub: a commit, a pull request.
func stepTrace(p *promotion.Promotion, i int, links Links, repo string) string {
	if p.Steps[i].Phase != promotion.StepSucceeded {
		return ""
	}
	switch stepName(p, i) {
	case "git-commit":
		if p.Commit != "" {
			return " " + commit(links, repo, p.Commit)
		}
	case "git-open-pr":
		if p.PullRequest != nil {
			return " " + number(links, repo, p.PullRequest.Number)
		}
	}
	return ""
}

// gates says of each condition whether it holds for p.
func (v *view) gates(p *pipe, one *promotion.Promotion) string {
	config := p.config.Stage(one.Stage)
	if config == nil {
		return ""
	}
	var gates []string
	for _, after := range config.After {
		if at, ok := p.stage(after).Verified[one.Freight]; ok {
			gates = append(gates, markDone+" "+Harmless(after)+" verified it "+when(at, v.now))
		} else {
			gates = append(gates, markWaiting+" waiting: "+Harmless(after)+" has not verified it")
		}
	}
	if len(gates) > 1 && config.AfterMode == promotion.AfterAny {
		return strings.Join(gates, " · ") + " (any of them)"
	}
	return strings.Join(gates, " · ")
}
