package ledger

import (
	"maps"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// needs lists what a person has to do, the most urgent first.
func (v *view) needs() string {
	items := v.needed()
	if len(items) == 0 {
		return "Nothing waits for anybody."
	}
	items, hidden := first(items, v.most.needs)
	if hidden > 0 {
		items = append(slices.Clip(items), more(hidden))
	}
	return "### " + markPerson + " Needs you\n- " + strings.Join(items, "\n- ")
}

func (v *view) needed() []string {
	return slices.Concat(v.problems(), v.broken(), v.unhealthy(), v.stuck(), v.blocked(), v.asking(), v.merges(), v.paused())
}

func (v *view) problems() []string {
	var items []string
	for _, pr := range v.s.Problems {
		item := markBad + " problem: " + v.problem(pr)
		if !pr.At.IsZero() {
			item += " Since " + when(pr.At, v.now) + "."
		}
		items = append(items, item)
	}
	return items
}

func (v *view) broken() []string {
	var items []string
	for _, p := range v.pipes {
		for _, pr := range p.state.Broken {
			items = append(items, markBad+" pipeline **"+stageName("", p.name)+"** broken: "+v.problem(pr))
		}
	}
	return items
}

// stuck are the stages where the last attempt could not be done or was said no
// to. A pull request that somebody closed is no call for anybody: they meant it,
// and the table shows it. Nor is a stage told of twice that is unhealthy by it.
func (v *view) stuck() []string {
	var items []string
	for _, p := range v.pipes {
		for _, stage := range p.stages {
			last := p.stuck(stage)
			if last == nil || v.meant(last) || last.Landed != "" && p.stage(stage).Health.Bad {
				continue
			}
			items = append(items, markBad+" "+v.ref(p, stage)+" "+closed(told(last, v.most.text))+" Freight: "+
				v.freight(p, last.Freight)+". Mend it, then "+command("retry", p.name, stage)+"."+v.box("retry", p.name, stage))
		}
	}
	return items
}

// meant reports whether a promotion failed because somebody wanted that.
func (v *view) meant(p *promotion.Promotion) bool {
	return p.Phase == promotion.PhaseFailed && p.Landed == "" && p.PullRequest != nil && p.PullRequest.State == "closed"
}

// closed ends a sentence.
func closed(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// blocked are effects that wait for a permission or another doing of the owner.
func (v *view) blocked() []string {
	items := map[string]bool{}
	for _, e := range v.s.Local.Pending {
		if e == nil || e.Blocked == "" || v.isProblem(e.Blocked) {
			continue
		}
		who := "the app"
		if name, ok := promotion.ParseName(e.Promotion); ok {
			who = "**" + stageName(e.Pipeline, name.Stage) + "**"
		}
		items[markPerson+" "+who+" waits for a person: "+closed(sentence(shorten(e.Blocked, v.most.text)))] = true
	}
	return slices.Sorted(maps.Keys(items))
}

// isProblem reports whether the same is said as a problem already.
func (v *view) isProblem(text string) bool {
	return slices.ContainsFunc(v.s.Problems, func(pr promotion.Problem) bool { return pr.Text == text })
}
