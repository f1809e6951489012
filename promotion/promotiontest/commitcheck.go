package promotiontest

import (
	"fmt"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// CommitRun is a check run on the commit of a git source.
type CommitRun struct {
	ID     int64
	Writes []string // what it was told to say, as STAGE:REACH of each stage, in order
}

// showCommit makes the check run on a commit of a git source, or changes it.
func (w *World) showCommit(e promotion.Effect) promotion.Result {
	where := w.State.Whereabouts(e.Pipeline, e.SHA)
	if where == nil {
		return promotion.Result{}
	}
	if w.Shown == nil {
		w.Shown = map[string][]CommitRun{}
	}
	runs := w.Shown[e.SHA]
	id := w.State.Pipelines[e.Pipeline].Shown[e.SHA].ID
	if w.State.Shows(e, where) {
		return promotion.Result{CheckID: id, Digest: where.Digest()}
	}
	if id == 0 && e.Look && len(runs) > 0 {
		id = runs[0].ID
	}
	if id == 0 {
		id = int64(len(runs) + 1)
		runs = append(runs, CommitRun{ID: id})
	}
	said := ""
	for _, s := range where.Stages {
		said += fmt.Sprintf("%s:%s ", s.Stage, s.Reach)
	}
	runs[id-1].Writes = append(runs[id-1].Writes, said)
	w.Shown[e.SHA] = runs
	return promotion.Result{CheckID: id, Digest: where.Digest()}
}
