package ledger

import (
	"fmt"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// History is the comment that keeps promotions for good which the tracking issue shows
// no more: who did what, when, and why, the last one first. It ends with marker.
func History(t promotion.Task, links Links, marker string) string {
	v := newView(t.State, links, time.Time{}) // it is read for years, so each time has its year
	ended := v.all(func(p *promotion.Promotion) bool {
		return p.Pipeline == t.Effect.Pipeline && slices.Contains(t.Effect.Names, p.Name)
	})
	slices.SortFunc(ended, func(a, b owned) int { return lastFirst(a.Promotion, b.Promotion) })
	out := "**Earlier results**\n\n"
	for _, one := range ended {
		out += "- " + when(one.EndedAt, v.now) + " · **" + stageName(one.pipe.name, one.Stage) + "** ← " + v.freight(one.pipe, one.Freight) + " · " +
			v.outcome(one.Promotion) + " · " + v.asked(one.Promotion) + "\n"
	}
	if len(out) > maxText-len(marker)-2 {
		out = fmt.Sprintf("**Earlier results:** %d promotions of %s, with more to say than a comment holds. Their check runs tell all of it.\n", len(ended), Harmless(t.Effect.Pipeline))
	}
	return out + "\n" + marker
}

// asked is who asked for a promotion, when and why.
func (v *view) asked(p *promotion.Promotion) string {
	text := asker(v.links, p) + " on " + when(p.CreatedAt, v.now)
	if p.Reason != "" {
		text += ": “" + Harmless(shorten(p.Reason, maxReason)) + "”"
	}
	return text
}
