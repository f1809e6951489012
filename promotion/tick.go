package promotion

import (
	"slices"
	"strings"
)

// Ticked says that a person ticked boxes of an issue, each of which stands for a
// command (see promotion/ledger, Box).
type Ticked struct {
	Number   int
	By       string // login
	ByID     int64
	Commands []Command
}

func (Ticked) event() {}

// takeTicked takes ticked boxes of the tracking issue as commands of who ticked
// them. The edit itself changes nothing: the issue is drawn anew.
func (c *core) takeTicked(e Ticked, ev Event) {
	if e.Number != c.state.Issue || e.Number == 0 || len(e.Commands) == 0 {
		return
	}
	known := func(s *CommentState) bool { return s.Comment == 0 && s.Cause == ev.Cause }
	if slices.ContainsFunc(c.state.Comments, known) {
		return
	}
	s := &CommentState{Cause: ev.Cause, Number: e.Number, By: e.By, At: c.when(ev.At)}
	for _, cmd := range e.Commands {
		cmd.Args = bounded(cmd.Args)
		s.Commands = append(s.Commands, CommandState{Command: cmd})
	}
	c.state.Comments = append(c.state.Comments, s)
}

// placeOf is where somebody who pressed a button of a promotion's check run is
// answered: in its pull request, else in the tracking issue; 0: there is no place.
func (c *core) placeOf(p *Promotion) int {
	if p.PullRequest != nil && p.PullRequest.Number != 0 {
		return p.PullRequest.Number
	}
	return c.state.Issue
}

// refusal is what a ticked box or a pressed button is answered with: neither has
// reactions, and so only what was wrong or not allowed is said, in a comment that
// names who did it.
func (s *CommentState) refusal() string {
	if s.Comment != 0 || s.Number == 0 {
		return ""
	}
	refused := *s
	refused.Commands = slices.DeleteFunc(slices.Clone(s.Commands), func(k CommandState) bool {
		return k.Verdict != VerdictWrong && k.Verdict != VerdictDenied
	})
	text := refused.answerText()
	if text == "" || strings.Contains(text, at(s.By)) {
		return text
	}
	return at(s.By) + ": " + text
}

// answerTick ends ticked boxes and pressed buttons, or lets them be answered first.
// Those that have no place for an answer end at once.
func (c *core) answerTick(i int) {
	s := c.state.Comments[i]
	c.noteHeard(s)
	text := s.refusal()
	if text == "" || slices.Contains(s.Sent, replied) {
		c.finishComment(i)
		return
	}
	e := Effect{ID: "reply/" + s.Cause, Kind: KindReply, Number: s.Number, Text: text, Late: true}
	if s.Look {
		e.Look, e.SentAt, e.NotBefore = true, s.At, c.now.Add(KindReply.Lag())
	}
	c.effect(e)
}

// replySent takes that an answering comment was sent, or can not be.
func (c *core) replySent(e *Effect) {
	if e.Comment != 0 {
		c.sent(e.Comment, replied)
		return
	}
	for i, s := range c.state.Comments {
		if s.Comment == 0 && !s.Done && "reply/"+s.Cause == e.ID {
			c.finishComment(i)
		}
	}
}
