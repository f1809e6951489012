package promotion

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Preview is a promotion that somebody wants to see before anybody asks for it.
type Preview struct {
	Line    int    `json:"line"`              // of the command in its comment
	By      string `json:"by"`                // login of who asks
	Stage   string `json:"stage"`             // of Effect.Pipeline; with Head as the person wrote it
	Freight string `json:"freight,omitempty"` // ID; with Head as the person wrote it, empty: the newest
	Head    string `json:"head,omitempty"`    // the commit whose pipeline files count, of a pull request that changes them; empty: those of now
}

// Planned is what a promotion would change and what would hold it up.
type Planned struct {
	Pipeline string
	Stage    string
	Freight  *Freight
	Branch   string // that it would change
	Tip      string // of that branch, over which the steps ran; empty: the branch does not exist yet
	Steps    []PlannedStep
	Files    []Change // those that differ
	Hidden   int      // how many more differ, which nobody looked into
	Diff     string   // unified, of Files
	Gates    []Gate
	Running  string // the promotion that holds the stage; empty: none
	Ahead    int    // how many wait for the stage already
}

// PlannedStep is what came of one step.
type PlannedStep struct{ Uses, Status, Message string }

// ConfigPull is an open pull request that changes pipeline files.
type ConfigPull struct {
	Head string `json:"head"` // commit
}

// mostConfigPulls bounds how many of those are remembered.
const mostConfigPulls = 100

// plan lets it be shown what a promotion would change. It is answered when that
// stands in a comment.
func (c *core) plan(s *CommentState, cmd Command, r Result) (Verdict, string) {
	stage, freight, wrong := planWords(cmd.Args)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if pull, ok := c.state.Local.ConfigPulls[s.Number]; ok && c.byPullRequest(s.Number) == nil {
		return c.planHead(s, cmd, r, pull, stage, freight)
	}
	here := c.byPullRequest(s.Number)
	if stage == "" && here != nil {
		stage, freight = StageRef(here.Pipeline, here.Stage), here.Freight
	}
	if stage == "" {
		return VerdictWrong, sentence("Say which stage: `/plan STAGE`. Stages: %s.", strings.Join(c.stageNames(), ", "))
	}
	p, st, wrong := c.findStage(stage)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if !writes(r) {
		if denied := c.denied(s, cmd, r, []staged{{p, st}}); denied != "" {
			return VerdictDenied, denied
		}
	}
	if broken := c.brokenConfig(p.Name); broken != "" {
		return VerdictWrong, broken
	}
	f, wrong, asked := c.freightToPlan(p, st, freight, s.Number)
	switch {
	case asked:
		return "", "" // it is judged when the sources have answered
	case f == nil:
		return VerdictWrong, wrong
	}
	c.effect(Effect{
		ID: planID(s, cmd), Kind: KindPlan, Pipeline: p.Name, Number: s.Number, Comment: s.Comment, Look: s.Look,
		Preview: &Preview{Line: cmd.Line, By: s.By, Stage: st.Name, Freight: f.ID},
	})
	return "", ""
}

func planID(s *CommentState, cmd Command) string {
	return sentence("plan/%d/%d", s.Comment, cmd.Line)
}

// planHead shows what the pipeline files of a pull request would do. Whom those
// files name decides nothing: they are not merged.
func (c *core) planHead(s *CommentState, cmd Command, r Result, pull ConfigPull, stage, freight string) (Verdict, string) {
	if denied := deniedHere(s, cmd, r); denied != "" {
		return VerdictDenied, denied
	}
	if stage == "" {
		return VerdictWrong, "Say which stage of the pipeline files in this pull request: `/plan STAGE`."
	}
	c.effect(Effect{
		ID: planID(s, cmd), Kind: KindPlan, Number: s.Number, Comment: s.Comment, Look: s.Look,
		Preview: &Preview{Line: cmd.Line, By: s.By, Stage: stage, Freight: freight, Head: pull.Head},
	})
	return "", ""
}

func planWords(words []string) (stage, freight, wrong string) {
	if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--") }) || len(words) > 2 {
		return "", "", "Write `/plan STAGE [FREIGHT]`; it has no options."
	}
	words = append(slices.Clone(words), "", "")
	return words[0], words[1], ""
}

// freightToPlan is the freight of a plan. Without a word it is what would be promoted,
// and where nothing may go there yet the newest, so that it is seen what holds it up.
func (c *core) freightToPlan(p *Pipeline, stage *Stage, word string, number int) (f *Freight, wrong string, asked bool) {
	if word != "" {
		return c.freightFor(p, stage, word, number, PriorityNormal)
	}
	if f = c.newestEligible(p, stage, PriorityNormal); f == nil {
		f = c.state.Pipelines[p.Name].newest()
	}
	if f == nil {
		wrong = "There is no freight yet: no source of this pipeline has a version."
	}
	return f, wrong, false
}

// newest is the freight that was made last; nil: there is none.
func (ps *PipelineState) newest() *Freight {
	if ps == nil || len(ps.Freight) == 0 {
		return nil
	}
	return ps.Freight[len(ps.Freight)-1]
}

// planning reports whether a comment waits for a plan.
func (c *core) planning(s *CommentState) bool {
	return s.Comment != 0 && slices.ContainsFunc(s.Commands, func(k CommandState) bool {
		return k.Verdict == "" && c.state.Local.Pending[planID(s, k.Command)] != nil
	})
}

// planShown takes that a plan stands in a comment, or why there is none.
func (c *core) planShown(e *Effect, v Verdict, answer string) {
	for i, s := range c.state.Comments {
		if s.Comment != e.Comment || e.Preview == nil {
			continue
		}
		own := *s
		own.Commands = slices.Clone(s.Commands)
		for k := range own.Commands {
			if cmd := &own.Commands[k]; cmd.Line == e.Preview.Line && cmd.Verdict == "" {
				cmd.Verdict, cmd.Answer = v, answer
			}
		}
		c.state.Comments[i] = &own
	}
}

// forgetConfigPull takes that a pull request is closed.
func (c *core) forgetConfigPull(number int) {
	if _, known := c.state.Local.ConfigPulls[number]; known {
		c.state.Local.ConfigPulls = cloneMap(c.state.Local.ConfigPulls)
		delete(c.state.Local.ConfigPulls, number)
	}
}

// noteConfigPull remembers which pull requests change pipeline files: there a plan
// may be asked for.
func (c *core) noteConfigPull(e *Effect, r Result) {
	pulls := cloneMap(c.state.Local.ConfigPulls)
	delete(pulls, e.Number)
	if r.CheckID != 0 {
		pulls[e.Number] = ConfigPull{Head: e.SHA}
	}
	if len(pulls) > mostConfigPulls {
		delete(pulls, slices.Min(slices.Collect(maps.Keys(pulls))))
	}
	c.state.Local.ConfigPulls = pulls
}

// Foresee judges the gates that freight would meet on its way to a stage, by a
// pipeline that need not be the one of now. It asks nobody.
func (s *State) Foresee(p *Pipeline, stage *Stage, freight string, now time.Time) []Gate {
	c := newCore(s, clock{now.UTC()})
	c.state.Local.Config = cloneMap(s.Local.Config)
	c.state.Local.Config[p.Name] = p
	r := request{p: p, stage: stage, freight: freight}
	for _, o := range c.pipe(p.Name).Promotions {
		if o.Stage == stage.Name && o.Freight == freight && o.Phase.Started() {
			r.pr = o // its approvals count
		}
	}
	gates := slices.Concat(c.afterGates(r), c.blockGate(r), c.soakGate(r), c.checksGate(r), c.approvalGate(r), c.freezeGate(r), c.windowGate(r))
	for i := range gates {
		if gates[i].Name == GateChecks && c.pendingKind(KindChecks) && !s.asks(KindChecks) {
			gates[i].Text = "Checks are read when somebody asks for it"
		}
	}
	return inOrder(gates)
}

// asks reports whether an effect of a kind has no answer yet.
func (s *State) asks(k Kind) bool {
	for _, e := range s.Local.Pending {
		if e.Kind == k {
			return true
		}
	}
	return false
}
