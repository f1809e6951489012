package promotion

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// report records the effect of the promotion's check run, when what it should
// say differs from what it says.
func (c *core) report(p *Promotion) {
	want := c.checkOf(p)
	if want == nil {
		return
	}
	digest, look := want.Digest(), p.Look
	for _, known := range p.Checks {
		if known.SHA == want.SHA {
			if known.Digest == digest {
				return
			}
			want.ID = known.ID
			look = look || known.ID == 0 // it was given up, and may be there all the same
		}
	}
	want.Revision, want.Writer = c.state.Revision, c.state.Local.Writer
	c.effect(Effect{
		ID: "check/" + p.Name + "/" + want.SHA, Kind: KindCheck, Pipeline: p.Pipeline, Promotion: p.Name, SHA: want.SHA, Check: want, Look: look,
	})
}

// Digest identifies what the check run says: an unchanged one costs no write.
func (k *Check) Digest() string {
	said := *k
	said.ID, said.Revision, said.Writer = 0, 0, ""
	raw, _ := json.Marshal(said)
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// checkOf is the check run that the promotion should have now, by DESIGN,
// section 5; nil: none. While steps run nothing is written: that is over in a
// moment, and each write counts.
func (c *core) checkOf(p *Promotion) *Check {
	if p.Phase == PhaseQueued || p.Phase == PhaseRunning && p.Verify == nil {
		return nil
	}
	check := &Check{Name: CheckName(p.Pipeline, p.Stage), ExternalID: p.Name, Title: p.Message, Heard: p.Heard}
	pr := p.PullRequest
	switch {
	case p.Verify != nil:
		check.SHA, check.Running = p.Landed, c.now.Before(p.Verify.stale())
		if !check.Running {
			check.Conclusion = "neutral"
		}
	case p.Phase == PhaseWaiting && pr != nil && pr.State == "open":
		c.checkOfOpen(p, check)
	case p.Phase.Terminal() && p.Phase != PhaseSucceeded && p.Landed != "":
		check.SHA, check.Conclusion = p.Landed, "failure"
		if p.Phase == PhaseAborted {
			check.Conclusion = "cancelled"
		} else if p.Phase == PhaseFailed {
			check.Actions = []string{"retry"}
		}
	case p.Phase == PhaseSucceeded && p.Landed != "":
		check.SHA, check.Conclusion = p.Landed, "success"
		if c.leadsOn(p) {
			check.Actions = []string{"promote"}
		}
	case p.Phase == PhaseSucceeded:
		check.SHA, check.Conclusion = p.Base(), "success"
	case p.Phase == PhaseErrored || p.Phase == PhaseFailed || p.Phase == PhaseRejected:
		check.SHA, check.Conclusion = p.endedOn(), "failure"
		if p.Phase != PhaseRejected {
			check.Actions = []string{"retry"}
		}
	case p.Phase == PhaseAborted || p.Phase == PhaseSuperseded:
		if pr != nil {
			check.SHA, check.Conclusion = pr.Head, "cancelled"
		}
	}
	if check.SHA == "" || check.Conclusion == "" && !check.Running {
		return nil
	}
	return check
}

// checkOfOpen is the check run on the head of an open pull request: always
// completed, so that its buttons show, and a yes only when every gate is open.
func (c *core) checkOfOpen(p *Promotion, check *Check) {
	check.SHA, check.Conclusion = p.PullRequest.Head, "success"
	check.Approved = p.approvedWords()
	for _, g := range p.Gates {
		check.Gates = append(check.Gates, string(g.Status)+" "+g.Text)
		if g.Name == GateApprovals && g.Status != GateOpen {
			check.Actions = []string{"approve"}
		}
	}
	if clashes(p) && p.holdsOurs() {
		check.Actions = append(check.Actions, "retry")
	}
	if gates, _ := c.gatesOfMerge(p); shut(gates) != nil {
		check.Conclusion = "action_required"
	}
	check.Actions = append(check.Actions, "abort")
}

// endedOn is the commit that shows a promotion which ended without landing.
func (p *Promotion) endedOn() string {
	if p.PullRequest != nil {
		return p.PullRequest.Head
	}
	return p.Base()
}

// Base is the tip that the promotion started from, where that is known.
func (p *Promotion) Base() string {
	first := ""
	for _, m := range p.Mounts {
		switch {
		case !m.Own():
		case m.Branch != "" && p.Plan != nil && m.Branch == p.Plan.Branch:
			return m.Commit
		case first == "":
			first = m.Commit
		}
	}
	return first
}

// leadsOn reports whether a stage behind this one waits for a person to promote.
func (c *core) leadsOn(p *Promotion) bool {
	return len(c.manualAfter(p)) > 0
}

// manualAfter are the manual stages right behind the promotion's.
func (c *core) manualAfter(p *Promotion) []string {
	config := c.state.Local.Config[p.Pipeline]
	if config == nil {
		return nil
	}
	var out []string
	for _, s := range config.Stages {
		if !s.Auto && slices.Contains(s.After, p.Stage) {
			out = append(out, s.Name)
		}
	}
	return out
}

// noteCheck remembers a written check run.
func (c *core) noteCheck(e *Effect, r Result) {
	p := c.promotion(e.Promotion)
	if p == nil || e.Check == nil {
		return
	}
	p = c.own(p)
	c.heardBefore(p, r.Heard)
	c.approvedBefore(p, e.Check.SHA, r.Approved)
	note := CheckRun{SHA: e.Check.SHA, ID: r.CheckID, Digest: e.Check.Digest()}
	note.Green = e.Check.Conclusion == "success"
	i := slices.IndexFunc(p.Checks, func(k CheckRun) bool { return k.SHA == note.SHA })
	if note.Green && (i < 0 || !p.Checks[i].Green) {
		c.stirHead(p, note.SHA) // a rule may ask for this very check
	}
	if i < 0 {
		p.Checks = append(p.Checks, note)
		return
	}
	if note.ID == 0 {
		note.ID = p.Checks[i].ID
	}
	p.Checks[i] = note
}
