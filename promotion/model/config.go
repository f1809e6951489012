package model

import (
	"encoding/json"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/window"
)

// pipelineName is the pipeline whose stages a schedule describes.
const pipelineName = promotion.DefaultPipeline

// verifyTimeout is shorter than the default, so that schedules see it end.
const verifyTimeout = 20 * time.Minute

// pipeline is the config that the traits describe.
func pipeline(stages []Traits) *promotion.Pipeline {
	p := &promotion.Pipeline{
		Name: pipelineName, Path: ".github/stagecoach.yml",
		Sources: []promotion.Source{{Name: "app", Git: &promotion.GitSource{Paths: []string{"app/**"}, CheckRun: true}}},
	}
	for i, t := range stages {
		p.Stages = append(p.Stages, stage(i, t))
	}
	return p
}

func stageName(i int) string { return string(rune('a' + i)) }

func stage(i int, t Traits) promotion.Stage {
	s := promotion.Stage{
		Name: stageName(i), Auto: t[traitAuto] > 0, AfterMode: promotion.AfterAll,
		Supersede: []promotion.Supersede{promotion.SupersedeQueued, promotion.SupersedeOpen, promotion.SupersedeNever}[t[traitSupersede]%3],
		Steps:     []promotion.Step{{Uses: "yaml-update", Config: json.RawMessage(`{"path":"envs"}`)}},
	}
	if t[traitAny] > 0 {
		s.AfterMode = promotion.AfterAny
	}
	for before := range i {
		if t[traitAfter]>>before&1 == 1 {
			s.After = append(s.After, stageName(before))
		}
	}
	deliver(&s, t[traitDeliver])
	gates(&s, t)
	verification(&s, t[traitVerify])
	limits(&s, t[traitLimits])
	if t[traitOther]&1 > 0 {
		s.Allow = &promotion.Allow{Teams: []string{"sre"}}
	}
	if t[traitOther]&6 == 6 { // rarer than the others
		s.Steps = nil
	}
	if t[traitOther]&8 > 0 {
		s.Branch = "env/" + s.Name
	}
	return s
}

func deliver(s *promotion.Stage, b byte) {
	switch b % 5 {
	case 0:
		s.Deliver = promotion.DeliverCommit
	case 1, 2:
		s.Deliver = promotion.DeliverPullRequest
	case 3:
		s.Deliver, s.PullRequest.Merge = promotion.DeliverPullRequest, promotion.MergeAuto
	case 4:
		s.Deliver = promotion.DeliverNone
		s.Steps = append(s.Steps, promotion.Step{Uses: "git-commit"}, promotion.Step{Uses: "git-push"})
	}
}

func gates(s *promotion.Stage, t Traits) {
	s.Gates.Soak = []time.Duration{0, 30 * time.Minute, 2 * time.Hour}[t[traitSoak]%3]
	if t[traitChecks] > 0 && len(s.After) > 0 {
		s.Gates.Checks = []string{"e2e"}
	}
	switch t[traitApprovals] % 4 {
	case 1:
		s.Gates.Approvals = &promotion.Approvals{}
	case 2:
		s.Gates.Approvals = &promotion.Approvals{Count: 2, Teams: []string{"sre"}, Users: []string{"hubot"}}
	case 3:
		s.Gates.Approvals = &promotion.Approvals{ExcludeRequester: true}
	}
	if t[traitWindows] > 0 {
		s.Gates.Windows = []window.Window{{Allow: "Mon-Fri 09:00-17:00"}}
	}
}

func verification(s *promotion.Stage, b byte) {
	if b%4 == 0 {
		return
	}
	s.Verify = &promotion.Verify{Checks: []string{"argocd/*"}, Timeout: verifyTimeout}
	s.Verify.OnFailure = []promotion.OnFailure{"", promotion.OnFailureHold, promotion.OnFailureRollback, promotion.OnFailureIgnore}[b%4]
}

func limits(s *promotion.Stage, b byte) {
	if b&1 > 0 {
		s.Timeout = 5 * time.Hour
	}
	if b&2 > 0 {
		s.Steps[0].Retry.Timeout = 4 * time.Minute
	}
	if b&4 > 0 {
		s.Steps[0].Retry.ErrorThreshold = 2
	}
	if b&24 == 24 {
		s.Steps[0].ContinueOnError = true
	}
}
