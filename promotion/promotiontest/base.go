package promotiontest

import (
	"fmt"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// TouchBase is somebody's push to main that touches the paths. What conflicts with
// it is said by w.Conflicts.
func (w *World) TouchBase(by string, paths ...string) {
	w.comments++
	sha := SHA(fmt.Sprint("base ", w.comments))
	w.Take(promotion.Event{Repo: Repo, Cause: "push-" + sha, At: w.Now, Body: promotion.Pushed{
		Branch: "main", Before: w.State.Local.Tips["main"], After: sha, Pusher: by, Complete: true,
		Commits: []promotion.PushedCommit{{SHA: sha, Message: "By hand", Author: by, Paths: paths}},
	}})
}

// commit makes the commit of an attempt: always the same one.
func (w *World) commit(p *promotion.Promotion) promotion.Result {
	if w.Unchanged != nil && w.Unchanged(p) {
		return promotion.Result{Phase: promotion.StepSucceeded, Empty: true}
	}
	return promotion.Result{
		Phase: promotion.StepSucceeded, Commit: commitOf(p), Changes: []promotion.Change{{Path: "envs/" + p.Stage, Status: "modified"}},
	}
}

// commitOf is the commit of a promotion's first edit, or of the one that is made
// anew for the n-th time.
func commitOf(p *promotion.Promotion) string {
	if p.Redo == nil {
		return SHA(p.Name)
	}
	return SHA(fmt.Sprint(p.Name, " anew ", p.Redos, " on ", p.Redo.Tip))
}

func (w *World) compare(e promotion.Effect) promotion.Result {
	p := w.State.Promotion(e.Promotion)
	if p == nil || w.Conflicts == nil {
		return promotion.Result{}
	}
	return promotion.Result{Conflicts: w.Conflicts(p), Moved: w.Moved}
}

// pushAnew puts a new edit in place of the former one, by compare-and-swap.
func (w *World) pushAnew(e promotion.Effect, p *promotion.Promotion, branch string) promotion.Result {
	if w.Overwrites != nil && !p.Redo.Force {
		if files := w.Overwrites(p); len(files) > 0 {
			return promotion.Result{Conflicts: files, Err: fmt.Errorf("%w in %v", promotion.ErrConflict, files)}
		}
	}
	switch at := w.Heads[branch]; {
	case at == p.Commit:
	case at != p.Redo.Was.Commit:
		return promotion.Result{Err: promotion.Terminal(fmt.Errorf("somebody pushed to %s", branch))}
	default:
		w.Heads[branch] = p.Commit
		w.Anew = append(w.Anew, p.Commit)
	}
	if i := slices.IndexFunc(w.Pulls, func(pr *Pull) bool { return pr.Branch == branch && pr.State == "open" }); i >= 0 {
		w.Pulls[i].Head = p.Commit
	}
	return promotion.Result{Phase: promotion.StepSucceeded, Pushed: branch, Commit: p.Commit}
}
