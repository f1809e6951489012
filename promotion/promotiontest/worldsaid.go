package promotiontest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// remember keeps the comments that the core is told of, which stand on GitHub.
func (w *World) remember(inputs []promotion.Input) {
	for _, in := range inputs {
		e, ok := in.(promotion.Event)
		if c, comment := e.Body.(promotion.Commented); ok && comment {
			w.said[c.Comment] = promotion.Said{Commented: c, At: e.At}
		}
	}
}

// whatWasSaid are the comments that have a reaction of ours.
func (w *World) whatWasSaid() []promotion.Said {
	var out []promotion.Said
	for _, id := range slices.Sorted(maps.Keys(w.said)) {
		s := w.said[id]
		for _, v := range []promotion.Verdict{promotion.VerdictStarted, promotion.VerdictDone, promotion.VerdictWrong, promotion.VerdictDenied} {
			if w.Reactions[fmt.Sprint(id, " ", v)] > 0 {
				s.Verdicts = append(s.Verdicts, v)
			}
		}
		if len(s.Verdicts) > 0 || w.Reactions[fmt.Sprint(id, " ", promotion.VerdictSeen)] > 0 {
			out = append(out, s)
		}
	}
	return out
}
