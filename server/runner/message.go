package runner

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// message is the commit's message, with the promotion's trailers.
func message(t promotion.Task, own string) string {
	p := t.Promotion
	if strings.TrimSpace(own) == "" {
		own = fmt.Sprintf("Promote %s to %s", ledger.MessageTitle(t.Freight.Title()), promotion.StageRef(p.Pipeline, p.Stage))
	}
	return strings.TrimRight(own, "\n") + "\n\n" + p.Trailers(t.Freight)
}
