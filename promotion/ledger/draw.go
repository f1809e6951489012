package ledger

import (
	"iter"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// maxDrawing is how many bytes of a body are for people, however small the record.
const maxDrawing = 24_000

// limits bound a drawing. Lists that are cut say how much they leave out.
type limits struct {
	needs  int  // entries of "Needs you"
	pipes  int  // pipelines
	stages int  // stages of each
	rows   int  // promotions under way, queued, and ended
	steps  int  // steps of a promotion
	text   int  // characters of a sentence
	name   int  // characters of a freight's title
	graph  bool // draw the graph
}

// levels are tried in order until the drawing fits.
var levels = []limits{
	{needs: 30, pipes: 20, stages: 40, rows: 20, steps: 40, text: 400, name: 80, graph: true},
	{needs: 15, pipes: 10, stages: 20, rows: 10, steps: 20, text: 200, name: 60, graph: true},
	{needs: 8, pipes: 6, stages: 10, rows: 5, steps: 12, text: 120, name: 40},
	{needs: 4, pipes: 2, stages: 5, rows: 2, steps: 6, text: 80, name: 30},
}

// lastResults is how many ended promotions are shown at most.
const lastResults = 10

// Draw is the Markdown for people alone, less than 24,000 bytes. now says which
// year it is, so that times in it need no year; nothing else depends on it.
func Draw(s *promotion.State, links Links, now time.Time) string {
	for text := range drawings(s, links, now) {
		return text
	}
	return "" // not reached: there is always a last drawing
}

// drawings are the drawings that are short enough, the fullest first.
func drawings(s *promotion.State, links Links, now time.Time) iter.Seq[string] {
	return func(yield func(string) bool) {
		v := newView(s, links, now)
		for _, v.most = range levels {
			text := v.draw()
			if len(text) <= maxDrawing && !yield(text) {
				return
			}
		}
		yield("There is more here than an issue can show. `/status` in a comment tells the state in short.\n")
	}
}

func (v *view) draw() string {
	sections := []string{v.idle(), v.needs(), v.held(), v.where(), v.underWay(), v.queue(), v.results(), v.footer()}
	var filled []string
	for _, section := range sections {
		if section != "" {
			filled = append(filled, strings.TrimRight(section, "\n"))
		}
	}
	return strings.Join(filled, "\n\n") + "\n"
}

// idle says why nothing runs in the repository.
func (v *view) idle() string {
	switch v.s.Repo.Idle {
	case "":
		return ""
	case "archived":
		return markWaiting + " waiting: nothing runs here while the repository is archived."
	case "fork":
		return markWaiting + " waiting: nothing runs here, because the repository is a fork."
	}
	return markWaiting + " waiting: nothing runs here (" + sentence(shorten(v.s.Repo.Idle, v.most.text)) + ")."
}

// footer names the commands and the config files.
func (v *view) footer() string {
	var parts []string
	for _, words := range footerCommands {
		parts = append(parts, code(words))
	}
	shown, hidden := first(v.pipes, v.most.pipes)
	for _, p := range shown {
		if p.config != nil && p.config.Path != "" {
			parts = append(parts, "config: "+v.configFile(p))
		}
	}
	if hidden > 0 {
		parts = append(parts, more(hidden))
	}
	return strings.Join(parts, " · ")
}

// footerCommands are those that the footer names, each with the word that it
// cannot do without; the last tells of the others.
var footerCommands = []string{
	"/promote STAGE", "/approve", "/abort", "/retry", "/freeze STAGE", "/rollback STAGE", "/status", "/help",
}

// command is what to write in a comment to have something done to a stage.
func command(name, pipeline, stage string) string {
	return code("/" + name + " " + shorten(promotion.StageRef(pipeline, stage), 90))
}

func (v *view) configFile(p *pipe) string {
	return md(Harmless(shorten(p.config.Path, 120)), v.links.File(v.repo(), "HEAD", p.config.Path, 0))
}

// table draws rows under a heading. Cells are safe already and not empty.
func table(heading []string, rows [][]string) string {
	var out strings.Builder
	row := func(cells []string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row(heading)
	rule := make([]string, len(heading))
	for i := range rule {
		rule[i] = "---"
	}
	row(rule)
	for _, cells := range rows {
		row(cells)
	}
	return out.String()
}
