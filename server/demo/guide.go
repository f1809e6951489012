package demo

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// hello says where everything is, before anything happens.
func (t *teller) hello() {
	t.print("Stagecoach, beside a GitHub that is simulated on this machine. Nothing leaves it.")
	t.print("")
	t.print("  repository      " + t.r.w.sim.URL() + "/" + t.r.w.repo.FullName())
	t.print("  dashboard       " + t.r.w.dashboard())
	if t.r.w.keep {
		t.print("  data            " + t.r.w.dir + " (kept)")
	}
	t.print("")
}

// guide says what to try, now that the first promotion has landed.
func (t *teller) guide(v *view) {
	t.print("")
	t.print("  repository      " + v.url)
	if v.issue.Number != 0 {
		t.print("  tracking issue  " + v.issueURL())
	}
	for _, pr := range v.pulls {
		if pr.State == "open" {
			t.print(clip("  pull request    "+v.pullURL(pr.Number)+"  "+plain(pr.Title), columns))
		}
	}
	t.print("  dashboard       " + t.r.w.dashboard() + "/r/" + t.r.w.repo.FullName())
	t.print("")
	t.print(paint(t.color, bold, "Try this"))
	for i, hint := range t.hints(v) {
		t.print(fmt.Sprintf("  %d. %s", i+1, strings.ReplaceAll(hint, "\n", "\n     ")))
	}
	t.print("")
	t.print("In the browser you are " + writer + ", who may write; as " + onlooker + ", who may only read, see what is refused.")
	t.print("Ctrl-C ends the demo" + t.whatStays() + ".")
	t.print("")
}

func (t *teller) whatStays() string {
	if t.r.w.keep {
		return "; the same command goes on with it"
	}
	return " and removes its data"
}

// hints are what a newcomer may do, made from the pipelines that are there.
func (t *teller) hints(v *view) []string {
	var out []string
	if pr := v.firstPull(); pr != 0 {
		out = append(out, fmt.Sprintf("Look at the pull request #%d, and merge it.", pr))
	}
	if stage := v.firstManual(); stage != "" {
		out = append(out, "Comment "+paint(t.color, bold, "/promote "+stage)+" on the tracking issue, and merge what that opens.")
	}
	what := "what the pipeline's sources watch"
	if t.sample {
		what = changedFile
	}
	clone := strings.Replace(t.r.w.repo.CloneURL, "://", "://"+writer+":"+t.r.w.sim.AddUser(writer)+"@", 1)
	return append(out, "Make the next change: edit "+what+" in the browser, or clone, commit and push:\n  git clone "+clone)
}

func (v *view) firstPull() int {
	for _, pr := range v.pulls {
		if _, _, _, own := promotion.ParseBranch(pr.Head); own && pr.State == "open" {
			return pr.Number
		}
	}
	return 0
}

// firstManual is the first stage that waits to be asked for.
func (v *view) firstManual() string {
	for _, name := range v.pipelineNames() {
		for _, stage := range v.pipelines[name].Stages {
			if !stage.Auto {
				return promotion.StageRef(name, stage.Name)
			}
		}
	}
	return ""
}

func (t *teller) bye() { t.print("\nStopping.") }

func (t *teller) print(text string) { fmt.Fprintln(t.out, text) }
