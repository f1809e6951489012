package promotiontest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Skipped says what a decision left alone although it should have been looked at;
// "": nothing. When everything is looked at, nothing more must be found to do: that
// is what makes it right that a decision settles only what its inputs touched.
// Words may differ: how a time is told depends on how far away it is.
func Skipped(d promotion.Decision, now time.Time) string {
	if stale := d.State.StalePlaces(); len(stale) > 0 {
		return fmt.Sprintf("places: %q", stale)
	}
	all := promotion.Settle(d.State, now)
	reworded := map[string]bool{}
	for name, ps := range all.State.Pipelines {
		if was := d.State.Pipelines[name]; was != ps && !sameBut(was, ps, reworded) {
			return "something in the pipeline " + name
		}
	}
	for id, e := range all.State.Local.Pending {
		if d.State.Local.Pending[id] == nil && !(e.Kind == promotion.KindCheck && reworded[e.Promotion]) {
			return "the effect " + id
		}
	}
	if !maps.EqualFunc(all.State.Local.Wakes, d.State.Local.Wakes, time.Time.Equal) || !all.Wake.Equal(d.Wake) {
		return fmt.Sprintf("wakes, which are %v and should be %v", d.State.Local.Wakes, all.State.Local.Wakes)
	}
	return ""
}

// sameBut compares what is known of a pipeline but for words, and notes whose differ.
func sameBut(a, b *promotion.PipelineState, reworded map[string]bool) bool {
	if a == nil || len(a.Promotions) != len(b.Promotions) {
		return false
	}
	for i, p := range a.Promotions {
		q := b.Promotions[i]
		if p != q && !reflect.DeepEqual(p, q) {
			reworded[p.Name] = true
			if !reflect.DeepEqual(wordless(p), wordless(q)) {
				return false
			}
		}
	}
	x, y := *a, *b
	x.Promotions, y.Promotions = nil, nil
	return reflect.DeepEqual(x, y)
}

func wordless(p *promotion.Promotion) *promotion.Promotion {
	out := *p
	out.Message = ""
	out.Gates, out.Steps = slices.Clone(p.Gates), slices.Clone(p.Steps)
	for i := range out.Gates {
		out.Gates[i].Text = ""
	}
	for i := range out.Steps {
		out.Steps[i].Message = ""
	}
	return &out
}
