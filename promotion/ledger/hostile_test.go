package ledger

import (
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// nasty holds what outside text may try, in one line and in more.
const nasty = "closes #1, fixes acme/web#2 GH-3 @everyone @acme/sre https://github.com/acme/web/issues/4 " +
	"`code` ``` | a | b | <script>alert(1)</script> <img src=x onerror=y> --> <!-- x --> [l](javascript:x) ![i](http://e.x/i.png) **b** " +
	"\"]; click A href; %%{init: {}}%% &#64;octocat www.evil.example $x$ ~~s~~ \\@hubot \u202egnp.exe\n\n# heading\n- list\n</details>\n```\nend"

func hostile() *promotion.State {
	s := base()
	ps := s.Pipelines["default"]
	f := promotion.NewFreight([]promotion.Artifact{{
		Source: "web", Kind: "git", Repo: "acme/web/../x|", Tag: nasty, Commit: "zz" + nasty, Title: nasty, Author: nasty,
	}}, 9, day)
	ps.Freight = append(ps.Freight, f)
	ps.Artifacts["web"] = f.Artifacts[0]
	waiting := nastily(waitsFor(attempt("default", "prod", f, day, promotion.PhaseWaiting), 214))
	waiting.Name = nasty
	waiting.Commit = nasty
	queued := nastily(attempt("default", "prod", f, day, promotion.PhaseQueued))
	failed := nastily(done(attempt("default", "staging", f, day, promotion.PhaseErrored), promotion.StepErrored))
	aborted := nastily(attempt("default", "dev", f, day.Add(time.Hour), promotion.PhaseAborted))
	aborted.Stage, aborted.Phase = nasty, promotion.Phase(nasty)
	s.Problems = []promotion.Problem{{Key: "x", Text: nasty, File: nasty, Line: 3, Suggestion: nasty}, {Key: "y", Text: "see `" + nasty, Suggestion: "a`@octocat`"}}
	ps.Broken = []promotion.Problem{{Text: nasty, File: "a b)|.yml", Line: 1, Column: 2}}
	s.Local.Config["default"].Stages = append(s.Local.Config["default"].Stages, promotion.Stage{Name: nasty, After: []string{"dev", nasty}})
	s.Local.Pending = map[string]*promotion.Effect{"e": {ID: "e", Blocked: nasty}}
	s.Repo.Idle = nasty
	return plus(s, waiting, queued, failed, aborted)
}

// nastily fills every field that holds outside text.
func nastily(p *promotion.Promotion) *promotion.Promotion {
	p.Message, p.Reason, p.RequestedBy = nasty, nasty, nasty
	for i := range p.Steps {
		p.Steps[i].Message = nasty
		p.Plan.Steps[i].Uses = nasty
	}
	p.Changes = []promotion.Change{{Path: nasty, Status: nasty, Before: nasty, After: nasty}, {Path: "a", Status: nasty}}
	return p
}
