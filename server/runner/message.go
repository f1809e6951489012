package runner

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// message is the commit's message with the trailers by which everybody, we
// included, can tell whose commit it is (DESIGN, section 5).
func message(t promotion.Task, own string) string {
	p := t.Promotion
	if strings.TrimSpace(own) == "" {
		own = fmt.Sprintf("Promote %s to %s", t.Freight.Title(), promotion.StageRef(p.Pipeline, p.Stage))
	}
	trailers := [][2]string{
		{promotion.TrailerPromotion, p.Name},
		{promotion.TrailerFreight, p.Freight},
		{promotion.TrailerStage, promotion.StageRef(p.Pipeline, p.Stage)},
		{promotion.TrailerRequestedBy, p.RequestedBy},
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(own, "\n"))
	b.WriteString("\n\n")
	for _, each := range trailers {
		if each[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", each[0], each[1])
		}
	}
	return b.String()
}
