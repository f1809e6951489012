package promotiontest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Start is when test stories begin.
var Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Repo is the repository of test stories.
var Repo = promotion.Repo{ID: 1, Owner: "acme", Name: "gitops", DefaultBranch: "main", Installation: 7, Private: true}

// Stage makes a stage with one editing step. Words: "auto", "commit",
// "pull-request" (the default), "none", "after:dev,test", "any", "never", "empty" (no steps).
func Stage(name string, words ...string) promotion.Stage {
	s := promotion.Stage{
		Name: name, Deliver: promotion.DeliverPullRequest, Supersede: promotion.SupersedeQueued, AfterMode: promotion.AfterAll,
		Steps: []promotion.Step{{Uses: "yaml-update", Config: json.RawMessage(fmt.Sprintf(`{"path":"envs/%s/values.yaml"}`, name))}},
	}
	for _, w := range words {
		switch {
		case w == "auto":
			s.Auto = true
		case w == "any":
			s.AfterMode = promotion.AfterAny
		case w == "never":
			s.Supersede = promotion.SupersedeNever
		case w == "empty":
			s.Steps = nil
		case strings.HasPrefix(w, "after:"):
			s.After = strings.Split(strings.TrimPrefix(w, "after:"), ",")
		default:
			s.Deliver = promotion.Deliver(w)
		}
	}
	return s
}

// Pipeline makes a pipeline that follows the folder app of the main branch.
func Pipeline(name string, stages ...promotion.Stage) *promotion.Pipeline {
	return &promotion.Pipeline{
		Name: name, Path: ".github/stagecoach.yml", Stages: stages,
		Sources: []promotion.Source{{Name: "app", Git: &promotion.GitSource{Paths: []string{"app/**"}}}},
	}
}

// Config is the input that says what the pipelines are now.
func Config(pipelines ...*promotion.Pipeline) promotion.ConfigRead {
	in := promotion.ConfigRead{SHA: SHA("config"), Pipelines: map[string]*promotion.Pipeline{}}
	for _, p := range pipelines {
		in.Pipelines[p.Name] = p
	}
	return in
}

// Push is a push to main that touches app, by octocat. What main was before is
// not told: see PushOn.
func Push(sha string) promotion.Event {
	return promotion.Event{Repo: Repo, Cause: "push-" + sha, At: Start, Body: promotion.Pushed{
		Branch: "main", After: sha, Pusher: "octocat", Complete: true,
		Commits: []promotion.PushedCommit{{SHA: sha, Message: "Change the app", Paths: []string{"app/deploy.yaml"}}},
	}}
}

// PushOn is a Push that says what main was before.
func PushOn(before, sha string) promotion.Event {
	e := Push(sha)
	body := e.Body.(promotion.Pushed)
	body.Before = before
	e.Body = body
	return e
}

// Comment is a comment of octocat on the tracking issue.
func Comment(id int64, at time.Time, lines ...string) promotion.Event {
	body := promotion.Commented{Comment: id, Number: 1, By: "octocat", ByID: 1}
	for i, line := range lines {
		words := strings.Fields(strings.TrimPrefix(line, "/"))
		body.Commands = append(body.Commands, promotion.Command{Line: i + 1, Name: words[0], Args: words[1:]})
	}
	return promotion.Event{Repo: Repo, Cause: fmt.Sprint("comment-", id), At: at, Body: body}
}

// SHA makes a commit hash out of any text.
func SHA(text string) string { return promotion.FreightID([]promotion.Artifact{{Source: text}}) }
