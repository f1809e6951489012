package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// ConfigCheck is the title and the summary of the check run that tells what is
// wrong in the pipeline files of a pull request, and shows the pipelines that can be
// read there. Without problems it says so.
func ConfigCheck(problems []promotion.Problem, pipelines map[string]*promotion.Pipeline) (heading, summary string) {
	if len(problems) == 0 {
		summary = "Every pipeline file can be read as it stands in this pull request.\n"
		return "The pipeline files are valid", summary + configPipelines(pipelines, maxText-len(summary))
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
	summary = strings.Join(lines, "\n") + "\n\nMerged as it is, this stops new promotions of these pipelines until it is mended.\n"
	return heading, summary + configPipelines(pipelines, maxText-len(summary))
}

// configPipelines shows pipelines as they are configured, as many as fit into most
// bytes. Nothing has happened in them yet.
func configPipelines(pipelines map[string]*promotion.Pipeline, most int) string {
	v := newView(&promotion.State{Local: promotion.Local{Config: pipelines}}, Links{}, time.Time{})
	hint := "\n" + code("/plan STAGE") + " in a comment here shows what a promotion would change with these files.\n"
	most -= len(hint) + 100
	out, shown := "", 0
	for _, name := range slices.Sorted(maps.Keys(pipelines)) {
		one := v.configPipeline(newPipe(name, pipelines[name], nil))
		if len(out)+len(one) > most {
			break
		}
		out, shown = out+one, shown+1
	}
	if hidden := len(pipelines) - shown; hidden > 0 {
		out += fmt.Sprintf("\n%s pipelines.\n", more(hidden))
	}
	if shown == 0 {
		return out
	}
	return out + hint
}

// configPipeline is a pipeline's graph, and a table of its stages.
func (v *view) configPipeline(p *pipe) string {
	var rows [][]string
	shown, hidden := first(p.stages, v.most.stages)
	for _, name := range shown {
		stage := p.config.Stage(name)
		rows = append(rows, []string{stageName("", name), orDash(codes(stage.After)), promotes(stage), delivers(stage), orDash(codes(gateNames(stage)))})
	}
	out := "\n**Pipeline " + stageName("", p.name) + "**\n\n"
	if graph := v.graph(p); graph != "" {
		out += graph + "\n\n"
	}
	out += table([]string{"stage", "after", "promotes", "delivers", "gates"}, rows)
	if hidden > 0 {
		out += "\n" + more(hidden) + " stages.\n"
	}
	return out
}

func promotes(s *promotion.Stage) string {
	if s.Auto {
		return "by itself"
	}
	return "when asked"
}

func delivers(s *promotion.Stage) string {
	switch {
	case len(s.Steps) == 0:
		return "nothing: it has no steps"
	case s.Deliver == promotion.DeliverCommit:
		return "a commit"
	case s.Deliver == promotion.DeliverPullRequest && s.PullRequest.Merge == promotion.MergeAuto:
		return "a pull request that merges itself"
	case s.Deliver == promotion.DeliverPullRequest:
		return "a pull request"
	}
	return "by its own steps"
}

// gateNames are the gates that a stage configures.
func gateNames(s *promotion.Stage) []string {
	var out []string
	g := s.Gates
	for _, each := range []struct {
		name string
		set  bool
	}{
		{promotion.GateSoak, g.Soak > 0}, {promotion.GateChecks, len(g.Checks) > 0},
		{promotion.GateApprovals, g.Approvals != nil}, {promotion.GateWindows, len(g.Windows) > 0},
	} {
		if each.set {
			out = append(out, each.name)
		}
	}
	return out
}

func orDash(text string) string {
	if text == "" {
		return dash
	}
	return text
}
