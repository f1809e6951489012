package ledger

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// ConfigCheck is the title and the summary of the check run that tells what is
// wrong in the pipeline files of a pull request. Without problems it says so.
func ConfigCheck(problems []promotion.Problem) (heading, summary string) {
	if len(problems) == 0 {
		return "The pipeline files are valid", "Every pipeline file can be read as it stands in this pull request.\n"
	}
	heading = fmt.Sprintf("%d problems in the pipeline files", len(problems))
	if len(problems) == 1 {
		heading = "1 problem in the pipeline files"
	}
	v := &view{s: &promotion.State{}, most: levels[0]}
	shown, hidden := first(problems, 50)
	var lines []string
	for _, pr := range shown {
		lines = append(lines, "- "+markBad+" wrong: "+v.problem(pr))
	}
	if hidden > 0 {
		lines = append(lines, "- "+more(hidden))
	}
	return heading, strings.Join(lines, "\n") + "\n\nMerged as it is, this stops new promotions of these pipelines until it is mended.\n"
}
