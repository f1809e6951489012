package ledger

import (
	"fmt"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func open(name, text string) promotion.Gate {
	return promotion.Gate{Name: name, Status: promotion.GateOpen, Text: text}
}

// mergeGates are those of a promotion to prod, in the core's words.
func mergeGates(changed ...promotion.Gate) []promotion.Gate {
	gates := []promotion.Gate{
		open(promotion.GateAfter, "Verified in staging"), open(promotion.GateSoak, "Soaked 30 min"),
		open(promotion.GateChecks, "Green: e2e, argocd/web-staging"), open(promotion.GateApprovals, "Approved by hubot, octocat"),
		{Name: promotion.GateWindows, Status: promotion.GateOpen, Text: "Window open until 17:00 Europe/Berlin", Until: day.Add(6*time.Hour + 48*time.Minute)},
	}
	for _, g := range changed {
		for i := range gates {
			if gates[i].Name == g.Name {
				gates[i] = g
			}
		}
	}
	return gates
}

var (
	oneOfTwo = promotion.Gate{
		Name: promotion.GateApprovals, Status: promotion.GatePending, Person: true, Text: "Waiting for 1 of 2 approvals (hubot approved)",
	}
	windowShut = promotion.Gate{
		Name: promotion.GateWindows, Status: promotion.GateClosed, Text: "Window opens Tue 09:00 Europe/Berlin", Until: day.Add(22*time.Hour + 48*time.Minute),
	}
	soaking = promotion.Gate{
		Name: promotion.GateSoak, Status: promotion.GatePending, Text: "Soaking until 14:05 UTC", Until: day.Add(4*time.Hour + 53*time.Minute),
	}
	frozenGate = promotion.Gate{
		Name: promotion.GateFreeze, Status: promotion.GateClosed, Text: "Frozen by octocat until 18:00 UTC: incident 42", Until: day.Add(8*time.Hour + 48*time.Minute),
	}
)

// guarded is a repository whose prod asks for soak, checks, approvals and a window.
func guarded() *promotion.State {
	s := base()
	stages := s.Local.Config["default"].Stages
	stages[0].Gates = promotion.Gates{
		Soak: 30 * time.Minute, Checks: []string{"e2e", "argocd/web-staging"},
		Approvals: &promotion.Approvals{Count: 2, Teams: []string{"sre"}, Users: []string{"hubot"}, ExcludeRequester: true},
	}
	stages[2].Verify = &promotion.Verify{Checks: []string{"argocd/web-staging"}}
	return s
}

// gated is a promotion to prod whose pull request waits behind gates.
func gated(gates ...promotion.Gate) *promotion.Promotion {
	p := waitsFor(attempt("default", "prod", webFreight(2), day, promotion.PhaseWaiting), 214)
	p.Gates, p.Message = mergeGates(gates...), "Waiting for merge: all gates are open"
	for _, g := range p.Gates {
		if g.Status != promotion.GateOpen {
			p.Message = g.Text
			break
		}
	}
	return p
}

// merging is a promotion to prod that the app merges; refused: GitHub would not.
func merging(refused bool) *promotion.Promotion {
	p := gated()
	p.Plan.Steps[4].Uses = "git-merge-pr"
	if refused {
		p.MergeTried, p.Message = true, "Waiting until GitHub allows the merge: 1 review is required"
	}
	return p
}

func approvedOnce(p *promotion.Promotion) *promotion.Promotion {
	p.Approvals = []promotion.Approval{
		{By: "monalisa", At: day.Add(3 * time.Minute), Head: sha("an earlier head"), Review: 7},
		{By: "hubot", At: day.Add(8 * time.Minute), Head: p.PullRequest.Head},
	}
	return p
}

// heldBack is a bad day: staging is unhealthy and being rolled back, prod is
// frozen and waits for approvals, and somebody blocked freight.
func heldBack() *promotion.State {
	s := guarded()
	ps := s.Pipelines["default"]
	three := webFreight(3)
	ps.Freight = append(ps.Freight, three)
	staging, prod := ps.Stages["staging"], ps.Stages["prod"]
	staging.Health = promotion.Health{Bad: true, Why: "not green: argocd/web-staging", Since: day.Add(-40 * time.Minute)}
	delete(staging.Verified, staging.Current.Freight)
	staging.Paused = &promotion.Mark{By: "monalisa", At: day.Add(-30 * time.Minute), Reason: "rolled back to web 295d818"}
	prod.Freeze = &promotion.Mark{By: "octocat", At: day.Add(-time.Hour), Until: frozenGate.Until, Reason: "incident 42"}
	ps.Blocked = map[string]*promotion.Mark{three.ID: {By: "octocat", At: day.Add(-2 * time.Hour), Reason: "breaks checkout"}}
	waiting := approvedOnce(gated(oneOfTwo))
	waiting.Gates = append(waiting.Gates[:1:1], append([]promotion.Gate{frozenGate}, waiting.Gates[1:]...)...)
	waiting.Message = frozenGate.Text
	back := attempt("default", "staging", webFreight(1), day.Add(-30*time.Minute), promotion.PhaseRunning)
	back.Priority, back.RequestedBy, back.Reason = promotion.PriorityRollback, "monalisa", "rollback"
	return plus(s, waiting, done(back, promotion.StepSucceeded, promotion.StepRunning))
}

// soakingQueue is a stage whose queue waits for time, for a person, for others.
func soakingQueue() *promotion.State {
	s := guarded()
	ps := s.Pipelines["default"]
	three := webFreight(3)
	ps.Freight = append(ps.Freight, three)
	ps.Stages["dev"].Verified[three.ID] = day
	first := attempt("default", "prod", webFreight(2), day, promotion.PhaseQueued)
	first.Gates = []promotion.Gate{open(promotion.GateAfter, "Verified in staging"), soaking, open(promotion.GateChecks, "Green: e2e"), windowShut}
	first.Message = soaking.Text
	second := attempt("default", "prod", three, day.Add(time.Minute), promotion.PhaseQueued)
	second.Gates = []promotion.Gate{{Name: promotion.GateAfter, Status: promotion.GatePending, Text: "Not yet verified in staging"}}
	s.Local.Config["default"].Stages[2].Gates.Soak = 2 * time.Hour
	return plus(s, first, second)
}

func verifyingStaging() *promotion.State {
	s := guarded()
	p := landedOn(attempt("default", "staging", webFreight(2), day, promotion.PhaseWaiting), 209)
	p.Automatic, p.Message = true, "Verifying: 1 of 2 checks green"
	p.Verify = &promotion.Verification{Since: day.Add(20 * time.Minute), Until: day.Add(50 * time.Minute)}
	st := s.Pipelines["default"].Stages["staging"]
	st.Current = &promotion.Landing{Freight: p.Freight, Promotion: p.Name, Commit: p.Landed, At: p.Verify.Since}
	delete(st.Verified, p.Freight)
	return plus(s, p)
}

// landedPast are promotions that landed in ways worth telling.
func landedPast() *promotion.State {
	s := base()
	hasty := landedOn(attempt("default", "prod", webFreight(2), day.Add(-3*time.Hour), promotion.PhaseSucceeded), 214)
	hasty.Past = []string{promotion.GateApprovals, promotion.GateWindows}
	hasty.Message = "Landed in 2 h 14 min, past what was not open: approvals, windows"
	back := landedOn(attempt("default", "prod", webFreight(1), day.Add(-2*time.Hour), promotion.PhaseSucceeded), 215)
	back.Priority, back.Message = promotion.PriorityRollback, "Landed in 2 h 14 min, verified"
	return plus(s, hasty, back)
}

// hundred is a pipeline of a hundred stages: four in a row, then 96 regions.
func hundred() *promotion.State {
	s := base()
	config, ps := s.Local.Config["default"], s.Pipelines["default"]
	one, two := webFreight(1), webFreight(2)
	last := "prod"
	config.Stages[0].Auto = true
	config.Stages = append(config.Stages, promotion.Stage{Name: "canary", After: []string{last}, Auto: true, Deliver: promotion.DeliverPullRequest})
	for i := range 96 {
		name := fmt.Sprintf("region-%02d", i+1)
		config.Stages = append(config.Stages, promotion.Stage{Name: name, After: []string{"canary"}, Deliver: promotion.DeliverPullRequest})
		f := one
		if i%3 == 0 {
			f = two
		}
		st := &promotion.StageState{Verified: map[string]time.Time{f.ID: day}, Current: &promotion.Landing{Freight: f.ID, At: day.Add(-time.Duration(i) * time.Hour)}}
		ps.Stages[name] = st
		p := attempt("default", name, two, day.Add(time.Duration(i)*time.Second), promotion.PhaseWaiting)
		switch {
		case i == 40:
			st.Health = promotion.Health{Bad: true, Why: "not green: argocd/web-40", Since: day}
		case i == 60:
			st.Freeze = &promotion.Mark{By: "octocat", At: day, Reason: "trade fair"}
		case i == 93:
			p.Gates = mergeGates(oneOfTwo)
			ps.Promotions = append(ps.Promotions, waitsFor(p, 300))
		case i%20 == 5:
			p.Phase = promotion.PhaseRunning
			ps.Promotions = append(ps.Promotions, p)
		}
	}
	return s
}
