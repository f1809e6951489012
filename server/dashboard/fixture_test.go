package dashboard_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func sha(seed string) string { return promotion.FreightID([]promotion.Artifact{{Source: seed}}) }

func freight(n int) *promotion.Freight {
	return promotion.NewFreight([]promotion.Artifact{{
		Source: "web", Kind: "git", Repo: "acme/web", Branch: "main", Commit: sha(fmt.Sprint("web", n)), Title: "Fix rounding", Author: "octocat",
	}}, int64(n), noon.Add(time.Duration(n)*time.Minute))
}

// attempt is a promotion of freight 2, one for each minute.
func attempt(stage string, minute int, phase promotion.Phase) *promotion.Promotion {
	at, f := noon.Add(time.Duration(minute)*time.Minute), freight(2)
	p := &promotion.Promotion{
		Name: promotion.NewName(stage, at, "comment/"+stage, f.ID), Pipeline: "default", Stage: stage, Freight: f.ID, Phase: phase,
		RequestedBy: "octocat", Cause: "comment/" + stage, CreatedAt: at,
	}
	if phase == promotion.PhaseQueued {
		return p
	}
	p.StartedAt = at.Add(time.Second)
	p.Plan = &promotion.Plan{Deliver: promotion.DeliverPullRequest, Branch: "main", Steps: []promotion.Step{
		{Uses: "yaml-update"}, {Uses: "git-commit", Added: true}, {Uses: "git-push", Added: true}, {Uses: "git-open-pr", Added: true}, {Uses: "git-wait-for-pr", Added: true},
	}}
	p.Steps = make([]promotion.StepState, 5)
	if phase.Terminal() {
		p.EndedAt = p.StartedAt.Add(90 * time.Second)
	}
	return p
}

// fixture is a repository with something in every part of the pages.
func fixture(repo ghsim.Repo, installation int64) *promotion.State {
	one, two := freight(1), freight(2)
	landed := attempt("dev", -60, promotion.PhaseSucceeded)
	landed.Automatic, landed.Landed, landed.Commit, landed.Message = true, sha("dev"), sha("dev"), "Landed in 2 min"
	for i := range landed.Steps {
		landed.Steps[i].Phase = promotion.StepSucceeded
	}
	errored := attempt("staging", -50, promotion.PhaseErrored)
	errored.Steps[0] = promotion.StepState{Phase: promotion.StepErrored, Message: "found no key `image.tagg`"}
	errored.Message = "Errored at step 1 of 5 (yaml-update): found no key `image.tagg`"
	soaking := attempt("load", -30, promotion.PhaseQueued)
	soaking.Gates = []promotion.Gate{{Name: promotion.GateSoak, Status: promotion.GatePending, Text: "Soaking until 14:05 UTC", Until: noon.Add(125 * time.Minute)}}
	return &promotion.State{
		Version: promotion.StateVersion, Revision: 7, Issue: 5,
		Repo: promotion.Repo{ID: repo.ID, Owner: repo.Owner, Name: repo.Name, DefaultBranch: "main", Installation: installation},
		Pipelines: map[string]*promotion.PipelineState{"default": {
			Freight: []*promotion.Freight{one, two}, NextNumber: 3, Artifacts: map[string]promotion.Artifact{"web": two.Artifacts[0]},
			Stages: map[string]*promotion.StageState{
				"dev":     {Current: &promotion.Landing{Freight: two.ID, Promotion: landed.Name, Commit: landed.Landed, At: landed.EndedAt}, Verified: map[string]time.Time{two.ID: landed.EndedAt}},
				"staging": {Current: &promotion.Landing{Freight: one.ID, At: noon.AddDate(0, 0, -2)}, Health: promotion.Health{Bad: true, Why: "not green: e2e", Since: noon}},
				"prod":    {Freeze: &promotion.Mark{By: "octocat", At: noon, Reason: "trade fair", Until: noon.Add(6 * time.Hour)}},
			},
			Promotions: []*promotion.Promotion{landed, errored, waiting(), soaking},
			Blocked:    map[string]*promotion.Mark{one.ID: {By: "monalisa", At: noon, Reason: "breaks checkout"}},
		}},
		Problems: []promotion.Problem{{Key: "x", Text: "The config names a team that is not there", File: ".github/stagecoach.yml", Line: 3, Suggestion: "sre"}},
		Local:    promotion.Local{Config: map[string]*promotion.Pipeline{"default": config()}},
	}
}

// shop is a repository as the picture in the docs shows it: something runs, something
// waits for somebody, nothing is broken.
func shop(repo ghsim.Repo, installation int64) *promotion.State {
	s := fixture(repo, installation)
	ps := s.Pipelines["default"]
	s.Problems, ps.Blocked, ps.Stages["prod"].Freeze = nil, nil, nil
	ps.Stages["staging"].Health = promotion.Health{}
	ps.Stages["staging"].Verified = map[string]time.Time{freight(1).ID: noon}
	ps.Stages["prod"].Current, ps.Stages["prod"].Verified = ps.Stages["staging"].Current, ps.Stages["staging"].Verified
	running := attempt("staging", -1, promotion.PhaseRunning)
	running.Automatic = true
	running.Steps[0].Phase, running.Steps[1].Phase, running.Steps[2].Phase = promotion.StepSucceeded, promotion.StepSucceeded, promotion.StepRunning
	running.Commit = sha("staging")
	for i, p := range ps.Promotions {
		if p.Stage == "staging" {
			ps.Promotions[i] = running
		}
	}
	return s
}

func config() *promotion.Pipeline {
	return &promotion.Pipeline{
		Name: "default", Path: ".github/stagecoach.yml", Sources: []promotion.Source{{Name: "web", Git: &promotion.GitSource{Repo: "acme/web"}}},
		Stages: []promotion.Stage{
			{Name: "dev", Auto: true, Deliver: promotion.DeliverCommit},
			{Name: "staging", After: []string{"dev"}, Auto: true, Deliver: promotion.DeliverPullRequest},
			{Name: "load", After: []string{"dev"}, Deliver: promotion.DeliverPullRequest, Gates: promotion.Gates{Soak: 3 * time.Hour}},
			{Name: "prod", After: []string{"staging", "load"}, AfterMode: promotion.AfterAny, Deliver: promotion.DeliverPullRequest,
				Gates: promotion.Gates{Approvals: &promotion.Approvals{Count: 2}}},
		},
	}
}

// waiting is a promotion that waits at gates, with all that one can have.
func waiting() *promotion.Promotion {
	p := attempt("prod", -20, promotion.PhaseWaiting)
	for i := range p.Steps {
		p.Steps[i].Phase = promotion.StepSucceeded
	}
	p.Steps[0].Output = map[string]json.RawMessage{"commitMessage": json.RawMessage(`"Update values"`), "files": json.RawMessage(`["envs/prod/values.yaml"]`)}
	p.Steps[4] = promotion.StepState{Phase: promotion.StepWaiting, Message: "Waiting for 1 of 2 approvals (hubot approved)"}
	p.Message, p.Reason = "Waiting for 1 of 2 approvals (hubot approved)", "fix for checkout"
	p.Commit, p.Pushed = sha("prod"), "stagecoach/default/prod/"+p.Name
	p.Mounts = []promotion.Mount{{Path: ".", Commit: sha("base"), Branch: "main"}}
	p.PullRequest = &promotion.PullRequest{Number: 214, Head: p.Commit, State: "open"}
	p.Changes = []promotion.Change{{Path: "envs/prod/values.yaml", Status: "modified", Before: "tag: 1.4.1", After: "tag: 1.4.2"}, {Path: "envs/prod/new.yaml", Status: "added"}}
	p.Checks = []promotion.CheckRun{{SHA: p.Commit, ID: 77}}
	p.Approvals = []promotion.Approval{{By: "hubot", At: noon, Head: p.Commit}}
	p.Gates = []promotion.Gate{
		{Name: promotion.GateAfter, Status: promotion.GateOpen, Text: "Verified in load"},
		{Name: promotion.GateApprovals, Status: promotion.GatePending, Text: "Waiting for 1 of 2 approvals (hubot approved)", Person: true},
		{Name: promotion.GateWindows, Status: promotion.GateClosed, Text: "Window opens 1 Dec 09:00 UTC", Until: noon.Add(21 * time.Hour)},
	}
	return p
}

// nasty is what others may write.
const nasty = `<script>alert(1)</script><img src=x onerror=alert(2)>"'` + "`" + `--> [l](javascript:alert(3)) ![i](http://evil.example/i.png) <http://evil.example> ` +
	`http://evil.example </main></svg><style>*{}</style> {{.}} ${x} ` + "\u202e\x00"

// outside are the fields that hold what others wrote, by the names of type and field.
var outside = []string{
	"Artifact.Title", "Artifact.Author", "Artifact.Tag", "Artifact.Branch", "Artifact.Repo", "Artifact.Digest", "Promotion.Message", "Promotion.RequestedBy", "Promotion.Reason",
	"Promotion.Cause", "Promotion.Pushed", "Promotion.Commit", "Promotion.Landed", "Mark.By", "Mark.Reason", "Health.Why", "Gate.Text", "Approval.By", "Problem.Text", "Problem.File",
	"Problem.Suggestion", "StepState.Message", "Step.Uses", "Step.As", "Step.If", "Plan.Branch", "Change.Path", "Change.Status", "Change.Before", "Change.After", "PullRequest.URL",
	"PullRequest.State", "PullRequest.Head", "CheckRun.SHA", "Mount.Commit", "Mount.Branch", "Landing.Commit", "Pipeline.Path", "Repo.Idle", "Repo.DefaultBranch", "Source.Name", "Landing.Promotion",
}

// hostile writes a text into every field of a state that others can write to.
func hostile(s *promotion.State, text string) *promotion.State {
	infect(reflect.ValueOf(s), text)
	for _, ps := range s.Pipelines {
		for _, p := range ps.Promotions {
			for i := range p.Steps {
				p.Steps[i].Output = map[string]json.RawMessage{text: quoted(text), "list": json.RawMessage("[" + string(quoted(text)) + "]")}
			}
		}
	}
	return s
}

func quoted(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return raw
}

func infect(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			infect(v.Elem(), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch {
			case !f.IsExported():
			case v.Field(i).Kind() == reflect.String && slices.Contains(outside, v.Type().Name()+"."+f.Name):
				v.Field(i).SetString(text)
			default:
				infect(v.Field(i), text)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			infect(v.Index(i), text)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if v.Type().Elem().Kind() == reflect.Pointer {
				infect(v.MapIndex(key), text)
				continue
			}
			copied := reflect.New(v.Type().Elem()).Elem()
			copied.Set(v.MapIndex(key))
			infect(copied, text)
			v.SetMapIndex(key, copied)
		}
	}
}

// masked takes out of a page what differs from run to run.
func masked(w *world, html string) string {
	html = strings.ReplaceAll(html, w.sim.URL(), "https://github.example")
	return volatile.ReplaceAllString(html, "$1…$2")
}
