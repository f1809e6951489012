package ledger

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// held shows what people hold back until they lift it: freezes, and freight that
// somebody blocked.
func (v *view) held() string {
	items := slices.Concat(v.freezes(), v.blocks())
	if len(items) == 0 {
		return ""
	}
	items, hidden := first(items, v.most.needs)
	if hidden > 0 {
		items = append(slices.Clip(items), more(hidden))
	}
	return "### Held back\n- " + strings.Join(items, "\n- ")
}

func (v *view) freezes() []string {
	var items []string
	if m := v.s.Freeze; m != nil {
		items = append(items, markFrozen+" **all stages** frozen"+v.set(m)+" "+code("/unfreeze all")+" lifts it.")
	}
	for _, p := range v.pipes {
		for _, stage := range p.stages {
			if m := p.stage(stage).Freeze; m != nil {
				items = append(items, markFrozen+" "+v.ref(p, stage)+" frozen"+v.set(m)+" "+command("unfreeze", p.name, stage)+" lifts it.")
			}
		}
	}
	return items
}

// blocks are the blocked freight of each pipeline, the last one first.
func (v *view) blocks() []string {
	var items []string
	for _, p := range v.pipes {
		ids := slices.Collect(maps.Keys(p.state.Blocked))
		slices.SortFunc(ids, func(a, b string) int {
			return cmp.Or(setAt(p.state.Blocked[b]).Compare(setAt(p.state.Blocked[a])), cmp.Compare(a, b))
		})
		for _, id := range ids {
			m := p.state.Blocked[id]
			if m == nil {
				continue
			}
			where := ""
			if len(v.pipes) > 1 {
				where = " in the pipeline **" + stageName("", p.name) + "**"
			}
			items = append(items, markBad+" blocked: "+v.freight(p, id)+where+v.set(m)+" "+code("/unblock "+p.handle(id))+" lifts it.")
		}
	}
	return items
}

func setAt(m *promotion.Mark) time.Time {
	if m == nil {
		return time.Time{}
	}
	return m.At
}

// set says who set a mark, since and until when, and why. It ends the sentence.
func (v *view) set(m *promotion.Mark) string {
	who := person(v.links, m.By)
	if m.By == "" {
		who = "the app"
	}
	text := " by " + who + since(m.At, v.now)
	if !m.Until.IsZero() {
		text += "," + until(m.Until, v.now)
	}
	if m.Reason == "" {
		return text + "."
	}
	return text + ": “" + Harmless(shorten(m.Reason, v.most.text)) + "”."
}

// frozen is the freeze that holds a stage: its own, or that of all; nil: none.
func (v *view) frozen(p *pipe, stage string) *promotion.Mark {
	if m := p.stage(stage).Freeze; m != nil {
		return m
	}
	return v.s.Freeze
}
