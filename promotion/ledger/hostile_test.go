package ledger

import (
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// nasty holds what outside text may try, in one line and in more.
const nasty = "closes #1, fixes acme/web#2 GH-3 @everyone @acme/sre https://github.com/acme/web/issues/4 " +
	"`code` ``` | a | b | <script>alert(1)</script> <img src=x onerror=y> --> <!-- x --> [l](javascript:x) ![i](http://e.x/i.png) **b** " +
	"\"]; click A href; %%{init: {}}%% &#64;octocat www.evil.example $x$ ~~s~~ \\@hubot \u202egnp.exe\n\n# heading\n- list\n</details>\n```\nend"

func hostile() *promotion.State { return hostileWith(nasty) }

// hostileWith is a state with text in every field that holds outside text.
func hostileWith(text string) *promotion.State {
	s := base()
	ps := s.Pipelines["default"]
	f := promotion.NewFreight([]promotion.Artifact{{
		Source: "web", Kind: "git", Repo: "acme/web/../x|", Tag: text, Commit: "zz" + text, Title: text, Author: text,
	}}, 9, day)
	ps.Freight = append(ps.Freight, f)
	ps.Artifacts["web"] = f.Artifacts[0]
	waiting := nastily(text, waitsFor(attempt("default", "prod", f, day, promotion.PhaseWaiting), 214))
	waiting.Name = text
	waiting.Commit = text
	queued := nastily(text, attempt("default", "prod", f, day, promotion.PhaseQueued))
	failed := nastily(text, done(attempt("default", "staging", f, day, promotion.PhaseErrored), promotion.StepErrored))
	aborted := nastily(text, attempt("default", "dev", f, day.Add(time.Hour), promotion.PhaseAborted))
	aborted.Stage, aborted.Phase = text, promotion.Phase(text)
	s.Problems = []promotion.Problem{{Key: "x", Text: text, File: text, Line: 3, Suggestion: text}, {Key: "y", Text: "see `" + text, Suggestion: "a`@octocat`"}}
	ps.Broken = []promotion.Problem{{Text: text, File: "a b)|.yml", Line: 1, Column: 2}}
	s.Local.Config["default"].Stages = append(s.Local.Config["default"].Stages, promotion.Stage{Name: text, After: []string{"dev", text}})
	s.Local.Pending = map[string]*promotion.Effect{"e": {ID: "e", Blocked: text}}
	s.Repo.Idle = text
	marked(text, s)
	return plus(s, waiting, queued, failed, aborted)
}

// marked sets what people may set, with reasons and names as they please.
func marked(text string, s *promotion.State) {
	mark := &promotion.Mark{By: text, At: day, Until: day.Add(time.Hour), Reason: text}
	ps := s.Pipelines["default"]
	s.Freeze = mark
	ps.Blocked = map[string]*promotion.Mark{text: mark, ps.Freight[0].ID: mark, "gone": nil}
	for _, st := range ps.Stages {
		st.Freeze, st.Paused, st.Health = mark, mark, promotion.Health{Bad: true, Why: text, Since: day}
	}
	for i := range s.Local.Config["default"].Stages {
		s.Local.Config["default"].Stages[i].Gates = promotion.Gates{
			Soak: time.Hour, Checks: []string{text}, Approvals: &promotion.Approvals{Teams: []string{text}, Users: []string{text}},
		}
	}
}

// nastyGates are gates of every kind that a drawing tells apart.
func nastyGates(text string) []promotion.Gate {
	return []promotion.Gate{
		{Name: promotion.GateHealth, Status: promotion.GateOpen, Text: text},
		{Name: promotion.GateBlock, Status: promotion.GateClosed, Text: text, Person: true},
		{Name: promotion.GateFreeze, Status: promotion.GateClosed, Text: text, Until: day},
		{Name: promotion.GateSoak, Status: promotion.GatePending, Text: text + " 09:12 UTC", Until: day},
		{Name: promotion.GateApprovals, Status: promotion.GatePending, Text: "Waiting for " + text, Person: true},
		{Name: text, Status: promotion.GateStatus(text)},
	}
}

// nastily fills every field that holds outside text.
func nastily(text string, p *promotion.Promotion) *promotion.Promotion {
	p.Message, p.Reason, p.RequestedBy = text, text, text
	p.Gates, p.Past = nastyGates(text), []string{text, text}
	p.Approvals = []promotion.Approval{{By: text, At: day}, {By: text, At: day, Head: text, Review: 1}}
	for i := range p.Steps {
		p.Steps[i].Message = text
		p.Plan.Steps[i].Uses = text
	}
	p.Changes = []promotion.Change{{Path: text, Status: text, Before: text, After: text}, {Path: "a", Status: text}}
	return p
}
