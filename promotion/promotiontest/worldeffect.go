package promotiontest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// react gives a reaction and, where that is asked for, what was there before.
func (w *World) react(e promotion.Effect) (r promotion.Result) {
	key := func(text string) string { return fmt.Sprint(e.Comment, " ", text) }
	if e.Earlier && w.Reactions[key(e.Text)] > 0 {
		r.Before = true
		for _, v := range []promotion.Verdict{promotion.VerdictStarted, promotion.VerdictDone, promotion.VerdictWrong, promotion.VerdictDenied} {
			if w.Reactions[key(string(v))] > 0 {
				r.Verdict = v
			}
		}
	}
	w.Reactions[key(e.Text)] = 1
	return r
}

func (w *World) run(e promotion.Effect) promotion.Result {
	switch e.Kind {
	case promotion.KindStep:
		return w.step(e)
	case promotion.KindCheck:
		key := e.Check.ExternalID + "@" + e.Check.SHA
		if e.Check.ID == 0 && (!e.Look || w.Checks[key] == 0) {
			w.Checks[key]++
		}
		r, heard := promotion.Result{CheckID: 1}, e.Check.Heard
		if e.Check.ID == 0 && e.Look {
			r.Heard, r.Approved = w.Heard[key], w.Approved[key]
			heard = slices.Concat(r.Heard, heard)
		}
		w.Heard[key], w.Approved[key] = heard, e.Check.Approved
		return r
	case promotion.KindPressed:
		return promotion.Result{Before: slices.Contains(w.Heard[e.Promotion+"@"+e.SHA], e.Text)}
	case promotion.KindCommitCheck:
		return w.showCommit(e)
	case promotion.KindDeployment:
		return w.deploy(e)
	case promotion.KindReact:
		return w.react(e)
	case promotion.KindReply:
		marked := fmt.Sprintf("%s\n<!-- %s -->", e.Text, e.ID)
		if !e.Look || !slices.Contains(w.Replies, marked) {
			w.Replies = append(w.Replies, marked)
		}
	case promotion.KindConfigCheck:
		if w.ConfigChecked != nil && w.ConfigChecked(e) {
			return promotion.Result{CheckID: 2}
		}
	case promotion.KindHistory:
		if !e.Look || !slices.Contains(w.History, strings.Join(e.Names, " ")) {
			w.History = append(w.History, strings.Join(e.Names, " "))
		}
	case promotion.KindPlan:
		if !e.Look || w.Plans[e.ID] == nil {
			w.Plans[e.ID] = append(w.Plans[e.ID], *e.Preview)
		}
	case promotion.KindPermission:
		level := cmp.Or(w.Permission, "write")
		return promotion.Result{Permission: level, Role: cmp.Or(w.Role, level), Teams: w.teams(e), TeamsUnread: w.TeamsUnread}
	case promotion.KindChecks:
		return promotion.Result{Checks: slices.Clone(w.Results[e.SHA])}
	case promotion.KindCompare:
		return w.compare(e)
	case promotion.KindDrift:
		if w.Gone != nil {
			return promotion.Result{Conflicts: w.Gone(e.Stage)}
		}
	case promotion.KindPullRequest:
		return w.close(e)
	case promotion.KindSource:
		return w.source(e)
	case promotion.KindReviews:
		return promotion.Result{Reviews: w.Reviews}
	case promotion.KindAdopt:
		r := promotion.Result{Found: w.found()}
		if e.Unknown {
			r.Said = w.whatWasSaid()
		}
		return r
	case promotion.KindDeleteBranch:
		delete(w.Commits, e.Branch)
		for _, pr := range w.Pulls {
			if pr.Branch == e.Branch && pr.State == "open" {
				pr.State = "closed" // as GitHub does
			}
		}
	}
	return promotion.Result{}
}

// deploy makes a promotion's Deployment, or gives it another state.
func (w *World) deploy(e promotion.Effect) promotion.Result {
	if w.Deployments == nil {
		w.Deployments = map[string][]string{}
	}
	told := w.Deployments[e.Promotion]
	if len(told) == 0 || told[len(told)-1] != e.Text {
		w.Deployments[e.Promotion] = append(told, e.Text)
	}
	return promotion.Result{DeploymentID: 1}
}

func (w *World) teams(e promotion.Effect) []string {
	return slices.DeleteFunc(slices.Clone(e.Teams), func(team string) bool { return !slices.Contains(w.Teams[team], e.Login) })
}

func (w *World) source(e promotion.Effect) promotion.Result {
	if e.Version != "" && w.Source == nil {
		return promotion.Result{} // no source has anything older
	}
	if p := w.State.Local.Config[e.Pipeline]; p != nil && w.Source != nil {
		if i := slices.IndexFunc(p.Sources, func(s promotion.Source) bool { return s.Name == e.Source }); i >= 0 && !p.Sources[i].OwnBranch(w.State.Repo) {
			return w.Source(e)
		}
	}
	r := promotion.Result{Tip: w.Tip}
	if w.Tip != "" && w.Tip != e.SHA {
		r.Artifact = &promotion.Artifact{Source: e.Source, Kind: "git", Repo: Repo.FullName(), Branch: "main", Commit: w.Tip}
	}
	return r
}
