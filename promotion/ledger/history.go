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
	var rows [][]string
	for _, one := range ended {
		rows = append(rows, []string{
			when(one.EndedAt, v.now), stageName(one.pipe.name, one.Stage), v.freight(one.pipe, one.Freight), v.outcome(one.Promotion),
			v.by(one.Promotion) + ", " + when(one.CreatedAt, v.now), orDash(Harmless(shorten(one.Reason, v.most.text))),
		})
	}
	heading := "**Earlier results**\n\n"
	out := heading + table([]string{"when", "stage", "freight", "result", "asked for by", "reason"}, rows)
	if len(out) > maxText-len(marker)-2 {
		out = heading + fmt.Sprintf("%d promotions of %s, with more to say than a comment holds. Their check runs tell all of it.\n", len(rows), Harmless(t.Effect.Pipeline))
	}
	return out + "\n" + marker
}
