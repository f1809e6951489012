package promotiontest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// found are the traces that promotions left in git, and their pull requests.
func (w *World) found() []promotion.Found {
	var out []promotion.Found
	trace := func(name, branch, commit string) promotion.Found {
		message := w.Messages[name]
		return promotion.Found{
			Promotion: name, Pipeline: "default", Freight: promotion.Trailer(message, promotion.TrailerFreight), Carries: promotion.CarriedFreight(message),
			RequestedBy: promotion.Trailer(message, promotion.TrailerRequestedBy), Branch: branch, Commit: commit,
		}
	}
	for _, branch := range slices.Sorted(maps.Keys(w.Commits)) {
		f := trace(w.Commits[branch], branch, SHA(w.Commits[branch]))
		if head := w.Heads[branch]; slices.Contains(w.Anew, head) || slices.Contains(w.Made, head) {
			f.Commit = head
		} else {
			f.Foreign = true
		}
		out = append(out, f)
	}
	for i, name := range w.Landed {
		f := trace(name, "main", SHA(name))
		f.Landed, f.Depth, f.At = true, len(w.Landed)-1-i, w.landedAt[name]
		out = append(out, f)
	}
	for _, pr := range slices.Backward(w.Pulls) {
		_, _, name, _ := promotion.ParseBranch(pr.Branch)
		pull := &promotion.FoundPull{Number: pr.Number, Branch: pr.Branch, Base: "main", Head: pr.Head, State: pr.State, Pushers: pr.Pushers}
		switch i := slices.IndexFunc(out, func(f promotion.Found) bool { return f.Promotion == name && !f.Landed }); {
		case pr.State == "merged":
		case i < 0:
			out = append(out, promotion.Found{Promotion: name, Pipeline: "default", Branch: pr.Branch, Pull: pull})
		case out[i].Pull == nil:
			out[i].Pull = pull
		}
	}
	return out
}

// land puts a promotion's commit on main.
func (w *World) land(name string) {
	w.Landed = append(w.Landed, name)
	w.landedAt[name] = w.Now
}

// close closes a pull request that is still open, and tells what it is then.
func (w *World) close(e promotion.Effect) promotion.Result {
	for _, pr := range w.Pulls {
		if pr.Number != e.Number && (e.Number != 0 || pr.Branch != e.Branch) {
			continue
		}
		r := promotion.Result{}
		switch pr.State {
		case "open":
			pr.State = "closed"
		case "merged":
			r.Landed = SHA("merge of " + e.Promotion)
		}
		r.PullRequest = &promotion.PullRequest{Number: pr.Number, Head: pr.Head, State: pr.State}
		return r
	}
	return promotion.Result{}
}

func (w *World) step(e promotion.Effect) promotion.Result {
	p := w.State.Promotion(e.Promotion)
	w.Ran[e.ID]++
	if w.Messages[p.Name] == "" {
		w.Messages[p.Name] = "Promote\n\n" + p.Trailers(w.State.FreightByID(p.Pipeline, p.Freight))
	}
	switch uses := p.Plan.Steps[e.Step].Uses; uses {
	case "git-commit":
		return w.commit(p)
	case "git-push":
		return w.push(e, p)
	case "git-open-pr":
		return w.open(e, p)
	case "git-wait-for-pr":
		return w.look(p)
	case "git-merge-pr":
		return w.merge(e, p)
	}
	if w.StepResult != nil {
		return w.StepResult(e)
	}
	return promotion.Result{Phase: promotion.StepSucceeded, Mounts: []promotion.Mount{{Path: ".", Branch: "main", Commit: SHA("main")}}}
}

func (w *World) push(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	if p.Plan.Deliver == promotion.DeliverCommit {
		if !slices.Contains(w.Landed, p.Name) { // compare-and-swap: the same commit again is adopted
			w.land(p.Name)
		}
		return promotion.Result{Phase: promotion.StepSucceeded, Pushed: p.Plan.Branch, Landed: SHA(p.Name)}
	}
	branch := promotion.BranchName(p.Pipeline, p.Stage, p.Name)
	if p.Redo != nil {
		return w.pushAnew(e, p, branch)
	}
	w.Commits[branch], w.Heads[branch] = p.Name, p.Commit
	w.Made = append(w.Made, p.Commit)
	return promotion.Result{Phase: promotion.StepSucceeded, Pushed: branch}
}

func (w *World) open(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	if p.Redo != nil && p.PullRequest != nil {
		return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: p.PullRequest}
	}
	var mine *Pull
	for _, pr := range w.Pulls {
		if pr.Branch == p.Pushed && pr.State == "open" && e.Look {
			mine = pr
		}
	}
	if mine == nil {
		mine = &Pull{Number: 100 + len(w.Pulls), Branch: p.Pushed, Head: p.Commit, State: "open"}
		w.Pulls = append(w.Pulls, mine)
	}
	return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: &promotion.PullRequest{Number: mine.Number, Head: mine.Head, State: "open"}}
}

func (w *World) look(p *promotion.Promotion) promotion.Result {
	i := slices.IndexFunc(w.Pulls, func(pr *Pull) bool { return pr.Number == p.PullRequest.Number })
	pr := w.Pulls[i]
	seen := &promotion.PullRequest{Number: pr.Number, Head: pr.Head, State: pr.State}
	switch pr.State {
	case "merged":
		return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: seen, Landed: SHA("merge of " + p.Name)}
	case "closed":
		return promotion.Result{Phase: promotion.StepFailed, PullRequest: seen, Message: fmt.Sprintf("#%d was closed without a merge", pr.Number)}
	}
	r := promotion.Result{Phase: promotion.StepWaiting, PullRequest: seen, Message: "Waiting for merge: all gates are open"}
	if w.Mergeable != nil {
		r.Mergeable = w.Mergeable(pr)
	}
	return r
}

// merge merges the pull request as the app does, unless it may only look.
func (w *World) merge(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	i := slices.IndexFunc(w.Pulls, func(pr *Pull) bool { return pr.Number == p.PullRequest.Number })
	if w.Pulls[i].State == "open" && !e.Hold && w.Pulls[i].Head == p.PullRequest.Head && (w.MayMerge == nil || w.MayMerge()) {
		w.Pulls[i].State = "merged"
	}
	r := w.look(p)
	if r.Phase == promotion.StepWaiting {
		r.Tried = !e.Hold && w.Pulls[i].Head == p.PullRequest.Head
		r.Message = "Waiting for GitHub's required checks"
		r.Auto = r.Tried && w.LeftToGitHub != nil && w.LeftToGitHub(p)
	}
	return r
}
