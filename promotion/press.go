package promotion

import (
	"slices"
)

// takePressed takes a pressed button as the command of its name. GitHub may send the
// delivery again to a server that has lost all it knew, and keeps no trace of a press:
// so our check run says which presses were heard (see noteHeard), and is asked about one
// that was drawn out of another store. A press on an older look of the promotion than
// the one of now does nothing: whoever pressed it saw something else.
func (c *core) takePressed(e Pressed, ev Event) {
	if slices.ContainsFunc(c.state.Comments, func(s *CommentState) bool { return s.Cause == ev.Cause && s.Comment == 0 }) {
		return
	}
	p := c.promotion(e.Promotion)
	if foreign := e.Writer != c.state.Local.Writer; foreign && (p == nil || c.tracing()) && c.keepEarly(Early{At: ev.At, Cause: ev.Cause, Press: &e}) {
		return
	}
	if p == nil || c.olderLook(p, e.SHA) {
		return
	}
	args := []string{p.Name}
	if e.Action == "promote" {
		args = nil
		for _, stage := range c.manualAfter(p) {
			args = append(args, StageRef(p.Pipeline, stage), p.Freight)
		}
	}
	s := &CommentState{Cause: ev.Cause, Number: c.placeOf(p), By: e.By, At: c.when(ev.At), Head: e.SHA, On: p.Name}
	for line, words := range slices.Collect(slices.Chunk(args, 2)) {
		s.Commands = append(s.Commands, CommandState{Command: Command{Line: line + 1, Name: e.Action, Args: words}})
	}
	if len(s.Commands) == 0 {
		return
	}
	c.state.Comments = append(c.state.Comments, s)
	if !c.state.Local.Rebuilt.IsZero() && e.Writer != c.state.Local.Writer {
		c.effect(Effect{
			ID: pressedID(s.Cause), Kind: KindPressed, Pipeline: p.Pipeline, Promotion: p.Name, SHA: e.SHA, Text: PressID(s.Cause), Check: &Check{ID: e.Check},
		})
	}
}

func pressedID(cause string) string { return "pressed/" + cause }

// PressID names a press by its delivery, in 16 characters.
func PressID(cause string) string { return causePart("press/" + cause) }

// olderLook reports whether a check run's commit is not the one that shows how the
// promotion stands now: what stood there was another attempt, or other content.
func (c *core) olderLook(p *Promotion, sha string) bool {
	if sha == "" {
		return false
	}
	if now := c.checkOf(p); now != nil {
		return now.SHA != sha
	}
	if p.pullIsOpen() {
		return p.PullRequest.Head != sha
	}
	return slices.ContainsFunc(p.Checks, func(k CheckRun) bool { return k.SHA == sha })
}

// pressDoubtful reports whether it is still being found out if a press was heard before.
func (c *core) pressDoubtful(s *CommentState) bool {
	return s.On != "" && c.state.Local.Pending[pressedID(s.Cause)] != nil
}

// pressSeen takes whether a press was heard in an earlier life.
func (c *core) pressSeen(e *Effect, heard bool) {
	i := slices.IndexFunc(c.state.Comments, func(s *CommentState) bool { return s.On != "" && pressedID(s.Cause) == e.ID })
	if i < 0 || !heard || c.state.Comments[i].Done {
		return
	}
	own := *c.state.Comments[i]
	own.Commands = slices.Clone(own.Commands)
	for k := range own.Commands {
		own.Commands[k].Verdict = VerdictDone
	}
	c.state.Comments[i] = own.answered()
}

// mostHeard is how many presses a check run remembers.
const mostHeard = 20

// noteHeard has the check run on which a button was pressed say so: that is the answer, and
// the trace by which the same press is known again.
func (c *core) noteHeard(s *CommentState) {
	if p := c.promotion(s.On); p != nil {
		c.hear(p, PressID(s.Cause))
	}
}

func (c *core) hear(p *Promotion, press string) {
	if slices.Contains(p.Heard, press) {
		return
	}
	p = c.own(p)
	p.Heard = append(slices.Clone(p.Heard), press)
	p.Heard = p.Heard[max(0, len(p.Heard)-mostHeard):]
	c.touchOf(p)
}

// heardBefore takes what a check run that was found said of presses: it says so still.
func (c *core) heardBefore(p *Promotion, presses []string) {
	for _, press := range presses {
		c.hear(p, press)
	}
}
