package runner

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// message is the commit's message, with the promotion's trailers.
func message(t promotion.Task, own string) string {
	p := t.Promotion
	if strings.TrimSpace(own) == "" {
		own = fmt.Sprintf("Promote %s to %s", t.Freight.Title(), promotion.StageRef(p.Pipeline, p.Stage))
	}
	return strings.TrimRight(own, "\n") + "\n\n" + p.Trailers(t.Freight)
}
