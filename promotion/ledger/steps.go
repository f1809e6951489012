package ledger

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

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

// stepName is what a step uses.
func stepName(p *promotion.Promotion, i int) string {
	if p.Plan != nil && i < len(p.Plan.Steps) {
		return shorten(oneLine(p.Plan.Steps[i].Uses), 60)
	}
	return fmt.Sprintf("step %d", i+1)
}

// saysNumber reports whether a step's message has nothing but the number of the pull request
// to say, which its trace links.
func saysNumber(message string, p *promotion.Promotion) bool {
	return p.PullRequest != nil && message == fmt.Sprintf("opened #%d", p.PullRequest.Number)
}
