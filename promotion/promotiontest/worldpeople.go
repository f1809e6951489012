package promotiontest

import (
	"maps"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Check lets another app's check say something of a commit and tells the core.
func (w *World) Check(sha, name, conclusion string) {
	k := promotion.CheckChanged{SHA: sha, Name: name, App: 9, ID: int64(len(w.Results[sha]) + 1), Conclusion: conclusion, At: w.Now}
	if w.Results == nil {
		w.Results = map[string][]promotion.CheckChanged{}
	}
	w.Results[sha] = append(w.Results[sha], k)
	w.Take(promotion.Event{Repo: Repo, At: w.Now, Body: k})
}

// Landing is the commit with which a stage's current freight landed.
func (w *World) Landing(stage string) string {
	for _, ps := range w.State.Pipelines {
		if st := ps.Stages[stage]; st != nil && st.Current != nil {
			return st.Current.Commit
		}
	}
	return ""
}

// Say is a comment on the tracking issue, one command, by somebody.
func (w *World) Say(login, line string) {
	w.comments++
	e := Comment(w.comments, w.Now, line)
	body := e.Body.(promotion.Commented)
	body.By = login
	e.Body = body
	w.Take(e)
}

// PushTo lets somebody push to the open pull request of a stage.
func (w *World) PushTo(stage, by, sha string) {
	for _, pr := range w.Pulls {
		if pr.State == "open" && strings.Contains(pr.Branch, "/"+stage+"/") {
			pr.Head, w.Heads[pr.Branch], pr.Pushers = sha, sha, append(pr.Pushers, by)
			w.Take(promotion.Event{Repo: Repo, At: w.Now, Body: promotion.PullRequestChanged{
				Number: pr.Number, Action: "synchronize", HeadBranch: pr.Branch, HeadSHA: sha, Base: "main", SameRepo: true, By: by,
			}})
		}
	}
}

// Last is the newest promotion of a stage, or nil.
func (w *World) Last(stage string) *promotion.Promotion {
	all := w.All(stage)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// End merges or closes the open pull request of a stage and tells the core.
// Without one it does nothing.
func (w *World) End(stage, state string) {
	for _, pr := range w.Pulls {
		if pr.State == "open" && strings.Contains(pr.Branch, "/"+stage+"/") {
			pr.State = state
			w.Take(promotion.Event{Repo: Repo, Body: promotion.PullRequestChanged{
				Number: pr.Number, Action: "closed", HeadBranch: pr.Branch, HeadSHA: pr.Head, Base: "main", SameRepo: true, Merged: state == "merged",
			}})
			return
		}
	}
}

// Phases are the phases of a stage's promotions, in order of name.
func (w *World) Phases(stage string) []promotion.Phase {
	var out []promotion.Phase
	for _, p := range w.All(stage) {
		out = append(out, p.Phase)
	}
	return out
}

// All are a stage's promotions in order of name.
func (w *World) All(stage string) []*promotion.Promotion {
	byName := map[string]*promotion.Promotion{}
	for _, ps := range w.State.Pipelines {
		for _, p := range ps.Promotions {
			if p.Stage == stage {
				byName[p.Name] = p
			}
		}
	}
	var out []*promotion.Promotion
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}
