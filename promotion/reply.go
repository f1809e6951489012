package promotion

import (
	"slices"
	"strings"
)

// answer records the reactions and, where there is something to say, the one
// comment. They wait until the ledger holds what they tell of.
func (c *core) answer(s *CommentState) {
	if text := s.answerText(); text != "" && !slices.Contains(s.Sent, replied) {
		c.effect(c.reply(s, text))
	}
	for _, v := range s.unsent() {
		c.effect(Effect{ID: reactID(s.Comment, v), Kind: KindReact, Comment: s.Comment, Text: string(v), Late: true})
	}
}

// unsent are the reactions that are missing: first those that say no, so that a yes alone
// says that every line was carried out (see Said).
func (s *CommentState) unsent() []Verdict {
	missing := slices.DeleteFunc(s.verdicts(), func(v Verdict) bool { return slices.Contains(s.Sent, string(v)) })
	if no := slices.DeleteFunc(slices.Clone(missing), Verdict.yes); len(no) > 0 {
		return no
	}
	return missing
}

// yes reports whether what was asked for was done, or has begun.
func (v Verdict) yes() bool { return v == VerdictDone || v == VerdictStarted }

// reply is the effect of the answering comment. One that an earlier life may
// have sent is looked for among all comments since the question, and only when
// GitHub's lists, which lag, show everything.
func (c *core) reply(s *CommentState, text string) Effect {
	e := Effect{ID: replyID(s.Comment), Kind: KindReply, Comment: s.Comment, Number: s.Number, Text: text, Late: true}
	if s.Look {
		e.Look, e.SentAt, e.NotBefore = true, s.At, c.now.Add(KindReply.Lag())
	}
	return e
}

func (s *CommentState) verdicts() []Verdict {
	var out []Verdict
	for _, k := range s.Commands {
		if !slices.Contains(out, k.Verdict) {
			out = append(out, k.Verdict)
		}
	}
	return out
}

func (s *CommentState) answerText() string {
	var parts []string
	for _, k := range s.Commands {
		if k.Answer != "" && !slices.Contains(parts, k.Answer) {
			parts = append(parts, k.Answer)
		}
	}
	return strings.Join(parts, "\n\n")
}

func reactID(comment int64, v Verdict) string { return sentence("react/%d/%s", comment, v) }
func replyID(comment int64) string            { return sentence("reply/%d", comment) }

// replied stands in CommentState.Sent for the comment that answers.
const replied = "reply"

// sent takes that a part of a comment's answer was sent. The last one ends it.
func (c *core) sent(comment int64, what string) {
	i := slices.IndexFunc(c.state.Comments, func(s *CommentState) bool { return s.Comment == comment && s.Comment != 0 })
	if i < 0 || what == string(VerdictSeen) {
		return
	}
	own := *c.state.Comments[i]
	own.Sent = append(slices.Clone(own.Sent), what)
	c.state.Comments[i] = &own
	if own.judged() && own.allSent() {
		c.finishComment(i)
	}
}

func (s *CommentState) allSent() bool {
	if s.answerText() != "" && !slices.Contains(s.Sent, replied) {
		return false
	}
	return !slices.ContainsFunc(s.verdicts(), func(v Verdict) bool { return !slices.Contains(s.Sent, string(v)) })
}

func (c *core) finishComment(i int) { c.state.Comments[i] = c.state.Comments[i].answered() }

// answered is the comment when all of its answer was sent.
func (s *CommentState) answered() *CommentState {
	done := *s
	done.Done, done.Sent, done.Look, done.Unread = true, nil, false, false
	done.Commands = slices.Clone(done.Commands)
	for k := range done.Commands {
		done.Commands[k].Answer, done.Commands[k].Args = "", nil
	}
	return &done
}

// Answered is the state as it will be when every verdict was told. That they
// were told is no reason to write the ledger once more: whoever reads an older
// one looks for the answers before sending them again.
func (s *State) Answered() *State {
	out := *s
	out.Comments = slices.Clone(s.Comments)
	for i, each := range out.Comments {
		if each.judged() {
			out.Comments[i] = each.answered()
		}
	}
	return &out
}
