package ledger

import (
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// gates says of each condition of one's stage whether it holds.
func (p *pipe) gates(one *promotion.Promotion, now time.Time) string {
	config := p.config.Stage(one.Stage)
	if config == nil {
		return ""
	}
	var gates []string
	for _, after := range config.After {
		if at, ok := p.stage(after).Verified[one.Freight]; ok {
			gates = append(gates, markDone+" "+Harmless(after)+" verified it "+when(at, now))
		} else {
			gates = append(gates, markWaiting+" waiting: "+Harmless(after)+" has not verified it")
		}
	}
	line := strings.Join(gates, " · ")
	if len(gates) > 1 && config.AfterMode == promotion.AfterAny {
		line += " (any of them)"
	}
	return line
}
