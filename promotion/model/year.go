package model

import (
	"fmt"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Year is one busy repository: rows of stages, each row dev, test, qa, staging and
// prod, that take freight by commit and by pull requests which somebody merges.
// Nothing fails, and the rules are not asked.
type Year struct {
	*server
	pushes int
	seen   int // deliveries
}

// NewYear is a repository with so many stages, a multiple of five.
func NewYear(stages int) *Year {
	p := &promotion.Pipeline{
		Name: pipelineName, Path: ".github/stagecoach.yml",
		Sources: []promotion.Source{{Name: "app", Git: &promotion.GitSource{Paths: []string{"app/**"}}}},
	}
	for row := range stages / 5 {
		for i, name := range []string{"dev", "test", "qa", "staging", "prod"} {
			st := stage(0, Traits{})
			st.Name, st.Auto = fmt.Sprintf("%s-%d", name, row), true
			if i > 0 {
				st.After = []string{p.Stages[len(p.Stages)-1].Name}
			}
			if i == 3 {
				st.Gates.Soak = time.Hour
			}
			if i == 4 {
				st.Deliver = promotion.DeliverPullRequest
			}
			p.Stages = append(p.Stages, st)
		}
	}
	y := &Year{server: newServer(p, Plant{})}
	y.unruled = true
	y.state = &promotion.State{Version: promotion.StateVersion, Repo: repo, Issue: issue}
	y.take(y.read())
	return y
}

// Day lets a day pass in which so many deliveries arrive: pushes to the app once
// in 25, and everything else that a busy repository hears. What waits for a merge
// is merged in the evening.
func (y *Year) Day(deliveries int) {
	end := y.now.Add(24 * time.Hour)
	for i := range deliveries {
		if y.seen++; y.seen%25 == 1 {
			y.pushes++
			y.emit(y.add("main", &commit{sha: hash("app", fmt.Sprint(y.id())), by: "octocat", path: appFile, message: "Change the app"}, "octocat"))
		} else {
			y.emit(y.unrelated(i))
		}
		y.flush()
		y.sleep(16 * time.Hour / time.Duration(deliveries))
	}
	for _, p := range y.pulls {
		if p.state == "open" {
			for _, e := range y.merge(p, "octocat", false) {
				y.emit(e)
			}
			y.flush()
		}
	}
	y.pulls = nil
	y.later, y.sent = nil, nil
	y.sleep(end.Sub(y.now))
	if line := y.lines["main"]; len(line) > 500 {
		y.lines["main"] = line[len(line)-500:]
	}
}

// unrelated is one of the events that concern no promotion.
func (y *Year) unrelated(i int) promotion.Event {
	switch i % 4 {
	case 0:
		return y.add("main", &commit{sha: hash("docs", fmt.Sprint(y.id())), by: "monalisa", path: "docs/README.md", message: "Write"}, "monalisa")
	case 1:
		return y.event(promotion.CheckChanged{SHA: y.tip("main"), Name: "lint", App: 9, ID: y.id(), Conclusion: "success"})
	case 2:
		return y.event(promotion.PullRequestChanged{Number: 9, Action: "opened", HeadBranch: "feature", HeadSHA: hash("f"), Base: "next", SameRepo: true})
	}
	return y.event(promotion.Pushed{Branch: "feature", After: hash("feature", fmt.Sprint(i)), Pusher: "octocat", Complete: true})
}

// Next is a push to the app that has not happened: the next freight.
func (y *Year) Next() promotion.Event {
	sha := hash("next", y.tip("main"))
	return promotion.Event{Repo: repo, Cause: "next", At: y.now, Body: promotion.Pushed{
		Branch: "main", Before: y.tip("main"), After: sha, Pusher: "octocat", Complete: true,
		Commits: []promotion.PushedCommit{{SHA: sha, Message: "Change the app", Author: "octocat", Paths: []string{appFile}}},
	}}
}

// State is what the core holds now.
func (y *Year) State() *promotion.State { return y.state }

// Now is the time of the year.
func (y *Year) Now() time.Time { return y.now }

// Landed is how many promotions have landed.
func (y *Year) Landed() int { return y.rules.landings() }

// Advances is how many decisions the core has made.
func (y *Year) Advances() int { return y.decisions }

// Answer is a state in which the first step of a promotion is under way, and its
// answer: what it decides concerns one stage.
func (y *Year) Answer() (*promotion.State, promotion.Input) {
	s := promotion.Advance(y.state, []promotion.Input{y.Next()}, y.now).State
	r := promotion.Result{Phase: promotion.StepSucceeded, Mounts: []promotion.Mount{{Path: ".", Branch: "main", Commit: y.tip("main")}}}
	for id, e := range s.Local.Pending {
		if e.Kind == promotion.KindStep && (r.Effect == "" || id < r.Effect) {
			r.Effect = id
		}
	}
	return s, r
}

// Unrelated is an event that concerns no promotion: a check that nobody asks for.
func (y *Year) Unrelated() promotion.Event {
	return promotion.Event{Repo: repo, Cause: "unrelated", At: y.now, Body: promotion.CheckChanged{SHA: y.tip("main"), Name: "lint", App: 9, ID: 1, Conclusion: "success"}}
}
